"""Two builds of kgrad, by different compilers, must print the same bytes: `same_output.py KGRAD KGRAD`.

Over every kernel of examples, tests and the primitives: text, binary form and SPIR-V of the kernel and of its gradients."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ('examples', 'bench', 'tests/gradients', 'tests/kernels', 'tests/natural')
FORMS = ('kg', 'kgb', 'spv')


def primitives(kgrad, folder):
    """The primitives' files, as one of the two prints them."""
    listed = subprocess.run([kgrad, 'prim', '--list', '--json'], capture_output=True, text=True, check=True).stdout
    for row in json.loads(listed)['result']['primitives']:
        path = pathlib.Path(folder, row['name'] + '.kg')
        subprocess.run([kgrad, 'prim', row['name'], '-o', path], check=True, capture_output=True)
        yield path


def same_primitives(first, second, folder):
    """Whether the other prints them likewise."""
    for path in primitives(first, folder):
        other = subprocess.run([second, 'prim', path.stem], capture_output=True)
        yield path, other.stdout == path.read_bytes()


def outputs(kgrad, path):
    """Everything that is made of one file, by its name; refusals with their words."""
    for command in (['show'], ['grad'], ['grad', '--accumulate']):
        for form in FORMS:
            done = subprocess.run([kgrad, *command, path, '--as', form], capture_output=True)
            yield ' '.join(command) + ' --as ' + form, (done.returncode, done.stdout, done.stderr)


def differences(first, second, path):
    """Of one file: how many agree, and what differs."""
    passed, failed, fine = 0, [], {0: b'', 1: b'', 2: b'[grad-'}
    for (what, one), (_, other) in zip(outputs(first, path), outputs(second, path)):
        if one == other and fine.get(one[0], b'?') in one[2]:
            passed += 1
        else:
            failed.append(f'FAIL: kgrad {what} {path}: ' + ('the two differ' if one != other else f'exit status {one[0]}'))
    return passed, failed


def main(first, second):
    passed, failed = 0, []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = [path for name in FOLDERS for path in sorted((ROOT / name).glob('*.kg'))]
        for path, agree in same_primitives(first, second, folder):
            files.append(path)
            passed += agree
            failed += [] if agree else [f'FAIL: kgrad prim {path.stem}: the two differ']
        for good, bad in pool.map(lambda path: differences(first, second, path), files):
            passed += good
            failed += bad
    print(*failed, sep='\n', end='\n' if failed else '')
    print(f'kgtest: {passed} passed, {len(failed)} failed')
    return bool(failed) or not passed


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:3]))
