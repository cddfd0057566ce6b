# `make installcheck`: what was installed is enough. The examples, as they were installed, compile outside of the tree, shared and
# static, in C and in C++, through pkg-config alone, and say the same; documents lead to each other; and `make install prefix=` and
# `DESTDIR=` put all of it elsewhere, with a kgrad.pc that is right there.
# The environment: MAKE, CC, CXX, VERSION, and the folders of the installation; `below_prefix` is empty where libdir was configured.
set -e
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed() { echo "PASS: $1"; }
failed() { echo "FAIL: $1"; exit 1; }

# The folder where kgrad.pc lies, the one where the library lies, what to compile, how.
build() { # pc, lib, source, compiler, static?
    PKG_CONFIG_PATH=$1
    export PKG_CONFIG_PATH
    flags=$(pkg-config --cflags kgrad)
    if test -n "$5"; then libs="$2/libkgrad.a $(pkg-config --static --libs kgrad | sed 's/-lkgrad//')"; else libs=$(pkg-config --libs kgrad); fi
    $4 -o "$tmp/embed" "$3" $flags $libs && LD_LIBRARY_PATH=$2 "$tmp/embed" reference >"$tmp/said"
}
same() { # what
    test -s "$tmp/first" || cp "$tmp/said" "$tmp/first"
    cmp -s "$tmp/said" "$tmp/first" && grep -q 'it worked, gradient passed' "$tmp/said" || { cat "$tmp/said"; failed "$1"; }
    passed "$1"
}
everything() { # the same folders, below $1
    pc=$1$libdir/pkgconfig examples=$1$docdir/examples
    build "$pc" "$1$libdir" "$examples/embed.c" "$CC"
    same "embed.c, as libkgrad was built to be linked"
    build "$pc" "$1$libdir" "$examples/embed.cpp" "$CXX"
    same "embed.cpp"
    if test -f "$1$libdir/libkgrad.a"; then
        build "$pc" "$1$libdir" "$examples/embed.c" "$CC" static
        same "embed.c, static"
        build "$pc" "$1$libdir" "$examples/embed.cpp" "$CXX" static
        same "embed.cpp, static"
    fi
}

# Installed under a DESTDIR, paths are as they will be: pkg-config puts it before them.
PKG_CONFIG_SYSROOT_DIR=$DESTDIR
export PKG_CONFIG_SYSROOT_DIR
everything "$DESTDIR"

"$DESTDIR$bindir/kgrad" ops tanh >/dev/null || failed "the command"
passed "the command"
"$DESTDIR$bindir/kgrad" grad "$DESTDIR$docdir/examples/softmax.kg" >/dev/null || failed "an example's gradient"
passed "an example's gradient"

lies_in() { # folder, files
    in=$1
    shift
    for file; do test -s "$in/$file" || failed "$in/$file is missing"; done
}
complete_in() { # DESTDIR, or another prefix's parent
    lies_in "$1$mandir" man1/kgrad.1
    lies_in "$1$datadir" bash-completion/completions/kgrad zsh/site-functions/_kgrad fish/vendor_completions.d/kgrad.fish
    lies_in "$1$docdir" README.md LICENSE doc/language.md doc/abi.md examples/embed.c examples/softmax.kg
}
complete_in "$DESTDIR"
passed "the manual, completions, documents and examples"

# Relative links of documents.
for file in README.md doc/language.md doc/verify.md; do
    for link in $(sed -n 's/.*](\([^)#:]*\)[)#].*/\1/p' "$DESTDIR$docdir/$file"); do
        test -e "$DESTDIR$docdir/$(dirname "$file")/$link" || failed "$file links to $link, which is not installed"
    done
done
passed "links between documents"

says() { # pc folder, prefix
    PKG_CONFIG_PATH=$1
    PKG_CONFIG_SYSROOT_DIR=
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    test "$(pkg-config --modversion kgrad)" = "$VERSION" || failed "the version of kgrad.pc"
    test "$(pkg-config --variable=prefix kgrad)" = "$2" || failed "the prefix of kgrad.pc is $(pkg-config --variable=prefix kgrad), not $2"
    ! grep -q '@' "$1/kgrad.pc" || failed "kgrad.pc has holes"
}
says "$DESTDIR$libdir/pkgconfig" "$prefix"
passed "kgrad.pc"

$MAKE -s install DESTDIR="$tmp/stage" >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed "make install DESTDIR="; }
says "$tmp/stage$libdir/pkgconfig" "$prefix"
complete_in "$tmp/stage"
passed "make install DESTDIR="

test -n "$below_prefix" || exit 0
$MAKE -s install DESTDIR= prefix="$tmp/elsewhere" >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed "make install prefix="; }
moved() { echo "$tmp/elsewhere${1#"$prefix"}"; }
libdir=$(moved "$libdir") docdir=$(moved "$docdir") mandir=$(moved "$mandir") datadir=$(moved "$datadir")
says "$libdir/pkgconfig" "$tmp/elsewhere"
complete_in ""
everything ""
passed "make install prefix="
