;;; TOOL: kgrad show {in} -o p.kgb
;;; TOOL: kgrad show p.kgb --as kg
program p {
  workgroup 1
  grid 1
  buffer x : f32[8] read_write
  // two of one name, since each ends with its block; a name that is a word only behind `region`
  let checkpoint = x[0]
  region checkpoint { let a = x[1] x[2] = a * checkpoint + a }
  region checkpoint again { let a = x[3] region checkpoint checkpoint { x[4] = a * a } }
  region last { let b = x[5] }
  x[6] = b
}
;;; STDOUT:
program p {
  workgroup 1
  grid      1
  buffer    x : f32[8] read_write

  let checkpoint = x[0]
  region checkpoint {
    let a = x[1]
    x[2] = a * checkpoint + a
  }
  region checkpoint again {
    let a = x[3]
    region checkpoint checkpoint {
      x[4] = a * a
    }
  }
  region last {
    let b = x[5]
  }
  x[6] = b
}
