"""Primitives in modules that use them: what they write was written and read before, and they run twice over the same buffers.

A stated adjoint that leaves the cotangent of what its program overwrites is right by itself, and wrong here. Every gradient is held
against the dual numbers of the interpreter; cases are those of tests/primitives/gradients with the defaults."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

KGRAD, SOURCES = os.environ['KGRAD'], os.environ['abs_srcdir']
HELPERS = '''  program fill {
    workgroup 64
    buffer s : f32[] read
    buffer y : f32[] write
    if global_id.x < len(y) { y[global_id.x] = 3.0 * s[global_id.x] }
  }
  program look {
    workgroup 64
    buffer y : f32[] read
    buffer z : f32[] write
    if global_id.x < len(z) { z[global_id.x] = y[global_id.x] * y[global_id.x] }
  }
'''


def kgrad(*args):
    return subprocess.run([KGRAD, *args], capture_output=True, text=True)


def cases():
    """Names, with the options that verify needs for the defaults."""
    for file in sorted(glob.glob(f'{SOURCES}/tests/primitives/gradients/*.txt')):
        for line in open(file, encoding='utf-8'):
            words = line.split()
            if not line.startswith('#') and words[1:2] == ['-']:
                yield words[0], words[2:]


def declarations(name):
    """The params and buffers that hosts see, as a module declares them."""
    text = kgrad('prim', name).stdout
    lines = text.splitlines()
    if lines[0].startswith('module'):
        return [line for line in lines[1:lines.index('')] if ' temp' not in line]
    found = [line for line in lines if re.match(r'  (param|buffer) ', line)]
    for const, value in re.findall(r'^  const +(\w+)(?: : \w+)? = (\S+)', text, re.M):
        found = [re.sub(rf'\b{const}\b', value, line) for line in found]
    return found


def twice(name, declared):
    return f'module twice {{\n{declared}\n  use primitive {name} as inner\n  repeat again in 0 .. 2 {{ run inner }}\n}}\n'


def behind(name, declared):
    """What it writes held something that was looked at."""
    outputs = re.findall(r'^  buffer +(\w+) : f32(\[.*\]) write$', declared, re.M)
    extra = ''.join(f'  buffer seed_{o} : f32{e} read\n  buffer peek_{o} : f32{e} write\n' for o, e in outputs)
    runs = ''.join(f'  run fill(s = seed_{o}, y = {o}) invocations len({o})\n'
                   f'  run look(y = {o}, z = peek_{o}) invocations len({o})\n' for o, _ in outputs)
    return outputs and f'module behind {{\n{declared}\n{extra}  use primitive {name} as inner\n{HELPERS}{runs}  run inner\n}}\n'


def judge(job):
    """None: it holds; else what is wrong."""
    path, options, refusable = job
    seen = kgrad('verify', path, *options)
    if seen.stdout.rstrip().endswith('passed') and seen.returncode == 0:
        return None
    # an adjoint that loads what the second round overwrites is refused by name
    if refusable and '[grad-adjoint-overwritten]' in seen.stderr:
        return None
    return seen.stdout + seen.stderr


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = {}
        for name, options in cases():
            declared = '\n'.join(declarations(name))
            for shape, refusable in ((twice, True), (behind, False)):
                text = shape(name, declared)
                path = f'{folder}/{name}_{shape.__name__}.kg'
                if text:
                    with open(path, 'w', encoding='utf-8') as file:
                        file.write(text)
                    jobs[f'{name} {shape.__name__}'] = path, options, refusable
        for what, wrong in zip(jobs, pool.map(judge, jobs.values())):
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f'FAIL: {what}\n{wrong}')
    print(f'kgtest: {passed} passed, {failed} failed')
    return failed != 0 or not passed


sys.exit(main())
