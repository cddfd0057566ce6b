"""Primitives in modules that use them: what they write was written and read before, and they run twice over the same buffers.

A stated adjoint that leaves the cotangent of what its program overwrites is right by itself, and wrong here. Every gradient is held
against the dual numbers of the interpreter; cases are those of tests/primitives/gradients with the defaults. What states an adjoint is
tried in more shapes, with sizes of its last line there: every buffer a slice, outputs of more elements than it writes, two results of one
input, one buffer for two inputs, a grid of the run's own, each input by itself, and the gradient of its gradient. Where one of them
cannot be right it is refused by name."""
import concurrent.futures
import glob
import itertools
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


class Case:
    """A line of tests/primitives/gradients: a name, settings, options of verify."""

    def __init__(self, words):
        self.name, self.options = words[0], words[2:]
        self.settings = [] if words[1] == '-' else words[1].split(',')
        self.text = self.declared = None

    def read(self):
        self.text = kgrad('prim', self.name, *itertools.chain(*(('--param', s) for s in self.settings))).stdout
        self.declared = declarations(self.text)
        return self

    def module(self, declared, runs, extra=''):
        settings = f'({", ".join(self.settings)})' if self.settings else ''
        return f'module m {{\n{declared}\n{extra}  use primitive {self.name}{settings} as inner\n{runs}}}\n'

    def buffers(self):
        """Those of floats with extents, as (name, extents, mode)."""
        return re.findall(r'^  buffer +(\w+) : f32(\[.*\]) (\w+)(?: drawn \w+)?$', self.declared, re.M)

    def given(self):
        return {o.split('=')[0] for o in self.options if '=' in o}


def declarations(text):
    """The params and buffers that hosts see, as a module declares them."""
    lines = text.splitlines()
    if lines[0].startswith('module'):
        return '\n'.join(line for line in lines[1:lines.index('')] if ' temp' not in line)
    found = '\n'.join(line for line in lines if re.match(r'  (param|buffer) ', line))
    for const, value in re.findall(r'^  const +(\w+)(?: : \w+)? = (\S+)', text, re.M):
        found = re.sub(rf'\b{const}\b', value, found)
    return found


def cases():
    """By name: the lines with the defaults, and the last ones with sizes, or else those."""
    defaults, last = {}, {}
    for file in sorted(glob.glob(f'{SOURCES}/tests/primitives/gradients/*.txt')):
        for line in open(file, encoding='utf-8'):
            words = line.split()
            if not words or words[0] == '#' or words[1] == 'none' or '--mode' in words:
                continue
            if words[1] == '-':
                defaults[words[0]] = Case(words)
            elif '--wrt' not in words:
                last[words[0]] = Case(words)
    return defaults, {**defaults, **last}


def twice(case):
    return case.module(case.declared, '  repeat again in 0 .. 2 { run inner }\n')


def behind(case):
    """What it writes held something that was looked at."""
    outputs = [b for b in case.buffers() if b[2] == 'write']
    extra = ''.join(f'  buffer seed_{o} : f32{e} read\n  buffer peek_{o} : f32{e} write\n' for o, e, _ in outputs)
    runs = ''.join(f'  run fill(s = seed_{o}, y = {o}) invocations len({o})\n'
                   f'  run look(y = {o}, z = peek_{o}) invocations len({o})\n' for o, _, _ in outputs)
    return outputs and case.module(case.declared, f'{HELPERS}{runs}  run inner\n', extra)


def product(extents):
    """[a, b * c, d]: the length of that array, as a slice of it is written."""
    parts, depth = [''], 0
    for sign in extents[1:-1]:
        depth += (sign == '(') - (sign == ')')
        if sign == ',' and not depth:
            parts.append('')
        else:
            parts[-1] += sign
    return ' * '.join(f'({part.strip()})' for part in parts)


def sliced(case):
    """Every buffer of floats lies in the middle of a longer one."""
    declared, binds = case.declared, []
    for name, extents, mode in case.buffers():
        length = product(extents)
        if name in case.given() or len(extents) > 200 or extents.count(',') > 2 and '*' in extents:
            continue
        wide = f'  buffer wide_{name} : f32[{length} + 5] {"read" if mode == "read" else "read_write"}'
        declared = re.sub(rf'^  buffer +{name} : .*$', lambda _, wide=wide: wide, declared, flags=re.M)
        binds.append(f'{name} = wide_{name}[3 .. 3 + {length}]')
    return binds and case.module(declared, f'  run inner({", ".join(binds)})\n')


def longer(case):
    """Outputs are of more elements than it writes, which held something before; all of them are looked at behind it."""
    declared, binds, before, after, extra = case.declared, [], '', '', ''
    for name, extents, mode in case.buffers():
        if mode != 'write':
            continue
        length = product(extents)
        declared = re.sub(rf'^  buffer +{name} : .*\n?', '', declared, flags=re.M)
        extra += ''.join(f'  buffer {kind}_{name} : f32[{length} + 5] {mode}\n'
                         for kind, mode in (('wide', 'temp'), ('seed', 'read'), ('seen', 'write')))
        before += f'  run fill(s = seed_{name}, y = wide_{name}) invocations len(wide_{name})\n'
        after += f'  run look(y = wide_{name}, z = seen_{name}) invocations len(wide_{name})\n'
        binds.append(f'{name} = wide_{name}')
    return binds and case.module(declared, f'{HELPERS}{before}  run inner({", ".join(binds)})\n{after}', extra)


def fork(case):
    """Two results of one input, which is looked at in between."""
    extra, binds, looks = '', [], ''
    for line in case.declared.splitlines():
        name = re.search(r'\w+(?= :)', line).group()
        if ' read_write' in line:
            return None
        if line.endswith(' write'):
            extra += re.sub(rf'\b{name} :', f'second_{name} :', line) + '\n'
            binds.append(f'{name} = second_{name}')
    for name, extents, mode in case.buffers():
        if mode == 'read':
            extra += f'  buffer seen_{name} : f32{extents} write\n'
            looks += f'  run look(y = {name}, z = seen_{name}) invocations len({name})\n'
    return case.module(case.declared, f'{HELPERS}  run inner\n{looks}  run inner({", ".join(binds)})\n', extra)


def with_grid(case):
    return case.module(case.declared, '  run inner grid 1\n')


def aliases(case):
    """Modules in which one buffer is bound to two inputs alike."""
    for (one, extents, mode), (other, same, also) in itertools.combinations(case.buffers(), 2):
        if extents == same and mode == also == 'read' and not case.given() & {one, other}:
            declared = re.sub(rf'^  buffer +{other} : .*\n?', '', case.declared, flags=re.M)
            yield f'alias of {one} and {other}', case.module(declared, f'  run inner({other} = {one})\n')


def single(case):
    """Options that ask for one input alone, of several."""
    names = [name for name, _, mode in case.buffers() if mode != 'write']
    return [('wrt ' + name, ['--wrt', name]) for name in names if len(names) > 1]


def stated_jobs(case, write):
    """What is tried of a primitive that states an adjoint, as (label, (path, options, refusals that will do))."""
    options = case.options
    for shape, refusable in ((sliced, ()), (longer, ()), (fork, ()), (with_grid, ('grad-adjoint-grid', 'use-grid'))):
        text = shape(case)
        if text:
            yield f'{case.name} {shape.__name__}', (write(text), options, refusable)
    for label, text in aliases(case):
        yield f'{case.name} {label}', (write(text), options, ('grad-aliased',))
    path = write(case.text)
    for label, more in single(case):
        yield f'{case.name} {label}', (path, options + more, ())
    plain = re.sub(r'--directions \S+ ?', '', ' '.join(options)).split()
    yield f'{case.name} hvp', (path, plain + ['--mode', 'hvp'], ())  # zero where it is linear
    gradient = kgrad('grad', path)
    yield f'{case.name} gradient of its gradient', (write(gradient.stdout), options, ('grad-adjoint-shadow',))


def judge(job):
    """None: it holds; else what is wrong."""
    path, options, refusable = job
    seen = kgrad('verify', path, *options)
    verdict = seen.stdout.rstrip().splitlines()[-1:]
    if seen.returncode == 0 and (verdict == ['passed'] or verdict == ['zero'] and 'hvp' in options):
        return None
    if any(f'[{name}]' in seen.stderr for name in refusable):
        return None
    return seen.stdout + seen.stderr


def all_jobs(folder):
    count = itertools.count()

    def write(text):
        path = f'{folder}/{next(count)}.kg'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    defaults, last = cases()
    for case in defaults.values():
        case.read()
        for shape, refusable in ((twice, ()), (behind, ())):
            text = shape(case)
            if text:
                yield f'{case.name} {shape.__name__}', (write(text), case.options, refusable)
    for case in last.values():
        case.read()
        if re.search(r'^  program \w+ adjoint ', case.text, re.M):
            yield from stated_jobs(case, write)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = dict(all_jobs(folder))
        if '-fsanitize' in os.environ.get('KG_TEST_CFLAGS', ''):
            jobs = dict(list(jobs.items())[::12])  # sanitizers make everything slow
        for what, wrong in zip(jobs, pool.map(judge, jobs.values())):
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f'FAIL: {what}\n{wrong}')
    print(f'kgtest: {passed} passed, {failed} failed')
    return failed != 0 or not passed


if __name__ == '__main__':
    sys.exit(main())
