"""Every primitive shows something by itself: built with its defaults and run without data, each output of floats is finite and not all
zero, and its gradient is verified. And it tells its limits: a size or a number outside of what `kgrad prim --help` states is refused with
a fix before anything runs."""
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile

KGRAD = os.environ['KGRAD']
NO_GRADIENT = {
    'argmax': 'an index', 'argmin': 'an index', 'one_hot': 'its input is an index',
    'uniform': 'no input of floats but params', 'normal': 'no input of floats but params',
    'learning_rate': 'it goes by the number of steps',
}


def kgrad(*args):
    return subprocess.run([KGRAD, *args], capture_output=True, text=True)


def outputs(text):
    """Those of floats that a host sees."""
    declared = text[:text.index('\n\n')] if text.lstrip().startswith('module') or '\nmodule ' in text else text
    return re.findall(r'^ +buffer +(\w+) : f\d+\S*.*? (?:write|read_write)\b', declared, re.M)


def shows(path, text):
    names = outputs(text)
    seen = kgrad('run', path, '--device', 'reference', *itertools.chain(*(('--out', f'{name}=-') for name in names)))
    if seen.returncode:
        return seen.stderr
    for line in seen.stdout.splitlines():
        name, _, values = line.partition(' = ')
        if re.search(r'nan|inf', values):
            return f'{name} has values that are not finite'
        if values and name.split()[0] in names and not any(map(float, values.split())):
            return f'{name} is all zero'
    return None


def verified(path, name):
    seen = kgrad('verify', path, '--directions', '1')
    if name in NO_GRADIENT:
        return None if '[grad-nothing]' in seen.stderr else f'{name} has a gradient: do not list it'
    verdict = seen.stdout.rstrip().splitlines()[-1:]
    return None if verdict == ['passed'] else seen.stdout + seen.stderr


def limits(name):
    """(param, values outside of what its help states) of those that become params of the program."""
    text = kgrad('prim', '--help', name).stdout
    for param, least, most in re.findall(r'^ +(\w+)=\S+ +(\S+) to (\S+) ', text, re.M):
        yield param, float(least), float(most)


def outside(whole, least, most):
    if whole:
        return [int(most) + 1] if most < 2**32 - 1 else []
    if least <= -1e30 and most >= 1e30:
        return []
    return [number for number in (most + max(abs(most), 1) / 1000, least - max(abs(least), 1) / 1000)]


def held(path, text, name):
    """Params are named as in the table, or with `n_` before it. Numbers from -1e30 to 1e30 have no limits, and lengths of all 32 bits none."""
    for param, least, most in limits(name):
        declared = re.search(rf'^ +param +((?:n_)?{param}) : (\w+) = (.*)$', text, re.M)
        if not declared:
            continue  # built in
        own, whole = declared.group(1), declared.group(2) == 'u32'
        for value in outside(whole, least, most):
            seen = kgrad('run', path, '--device', 'reference', '--param', f'{own}={value}')
            if seen.returncode != 2 or '[param-range]' not in seen.stderr or 'fix: give' not in seen.stderr:
                return f'{own}={value} is not refused: {seen.stderr or seen.stdout}'
    return None


def judge(name, folder):
    path = f'{folder}/{name}.kg'
    kgrad('prim', name, '-o', path)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    return [(f'{name} {what}', wrong) for what, wrong in
            (('shows something', shows(path, text)), ('is verified', verified(path, name)), ('holds its limits', held(path, text, name)))]


def main():
    names = sys.argv[1:] or re.findall(r'^  (\w+) ', kgrad('prim', '--list').stdout, re.M)
    if '-fsanitize' in os.environ.get('KG_TEST_CFLAGS', ''):
        names = names[::8]  # sanitizers make everything slow
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        for results in pool.map(judge, names, itertools.repeat(folder)):
            for what, wrong in results:
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f'FAIL: {what}\n{wrong}')
    print(f'kgtest: {passed} passed, {failed} failed')
    return failed != 0 or not passed


if __name__ == '__main__':
    sys.exit(main())
