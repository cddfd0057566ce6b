"""Who may know whom, down to the sub-folders: sources and objects against the table in tests/rooms.txt.

`rooms.py SOURCES OBJECTS` prints what the table forbids: includes in SOURCES, and calls from one room's objects in OBJECTS into another's.
`rooms.py SOURCES --archives` prints the folders of the library, each with the folders that it may be linked with."""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]*)[">]', re.M)
PUBLIC = 'kgrad/*'
SYSTEM = ('spirv/unified1/', 'spirv-tools/')  # folders of the system that are called like one of ours
OUTSIDE = {'tools', 'fuzz', 'tests'}          # no part of the library
OPEN = {'tests', 'bench', 'examples', 'include'}  # may know whom they like


class Table:
    """Rooms in order; a room may name only those above it."""

    def __init__(self, text):
        self.knows, self.wrong, self.owner = {}, [], {}
        for line in text.splitlines():
            row = line.split('#')[0].strip()
            if '=' in row:
                header, room = row.split('=')
                self.owner[header.strip()] = room.strip()
            elif row:
                self.add(*row.split(':', 1))

    def add(self, room, names):
        known = [self.folder_of(room)]
        for name in names.split():
            found = [name] if name == PUBLIC else [r for r in fnmatch.filter(self.knows, name) if '.' not in r]
            known += found
            if not found:
                self.wrong.append(f'tests/rooms.txt: {room} names {name}, which no row above it has')
        self.knows[room] = known

    def folder_of(self, path):
        return os.path.dirname(path) if '.' in path else path

    def room_of(self, path):
        """The folder, if it has a row."""
        return self.folder_of(path) if self.folder_of(path) in self.knows else None

    def known_to(self, path):
        """A row for the file itself comes before one for its folder."""
        return self.knows.get(path) or self.knows[self.room_of(path)]

    def archives(self):
        """By folder of the library: the folders that it is linked with, through those that it knows too."""
        links = {}
        for room, known in self.knows.items():
            top = room.split('/')[0]
            if top not in OUTSIDE:
                others = {k.split('/')[0] for k in known if k != PUBLIC} - {top}
                links.setdefault(top, set()).update(others, *(links[o] for o in others))
        return links


# ---- what sources include ----

def header_rooms(table, name):
    """The rooms whose header it may be; none: it is no header of ours."""
    if name.startswith('kgrad/'):
        owner = table.owner.get(name, name[len('kgrad/'):-len('.h')])
        return {PUBLIC} | {r for r in table.knows if r.split('/')[0] == owner}
    return {table.room_of(name) or 'no room'}


def forbidden_includes(table, sources, tops):
    for path, text in sorted(sources.items()):
        room = table.room_of(path)
        if not room:
            yield f'{path} lies in no room of tests/rooms.txt'
            continue
        for name in INCLUDE.findall(text):
            if name.split('/')[0] in tops and '/' in name and not name.startswith(SYSTEM):
                if not header_rooms(table, name) & set(table.known_to(path)):
                    yield f'{path} includes {name}, of which {room} may not know'


def unexplained(table, sources):
    """A room has a file, its main header if it has one, that begins with the room's name and what the room is for."""
    for room in table.knows:
        own = [text for path, text in sources.items() if table.room_of(path) == room]
        if own and '.' not in room and not any(text.startswith(f'/* {room}: ') for text in own):
            yield f'{room}: no file begins with "/* {room}: " and what the room is for'


# ---- what objects call ----

def forbidden_calls(table, objects):
    """`objects`: by source file, the names that it defines and those that it leaves undefined."""
    home = {name: table.room_of(path) for path, (defined, _) in objects.items() for name in defined}
    for path, (_, wanted) in sorted(objects.items()):
        room = table.room_of(path)
        for name in sorted(wanted & home.keys()) if room else ():
            public = name.startswith('kg_') and PUBLIC in table.known_to(path)
            if not public and home[name] not in table.known_to(path):
                yield f'{path} uses {name} of {home[name]}, of which {room} may not know'


def source_of(path):
    """tools/kgrad-main.o comes from tools/main.c; no file of ours has a hyphen in its name."""
    return os.path.join(os.path.dirname(path), os.path.basename(path).split('-')[-1][:-2] + '.c')


def source_in(sources, path):
    """The same of an object that is still built; None: it outlived its source."""
    name = source_of(path)
    return next((n for n in (name, name + 'pp') if (sources / n).exists()), None)


def read_objects(table, sources, folder):
    """The newest object of each source that is still there: objects outlive their sources, and their libraries."""
    tops = {room.split('/')[0] for room in table.knows} - {'tests'}
    built = sorted((p for top in tops for p in folder.glob(f'{top}/**/*.o') if '.libs' not in p.parts), key=lambda p: p.stat().st_mtime)
    newest = {source_in(sources, p.relative_to(folder)): p for p in built}
    paths = [path for source, path in sorted((s, p) for s, p in newest.items() if s)]
    listed = subprocess.run([*os.environ.get('NM', 'nm').split(), '-A', '-g', *paths], capture_output=True, text=True, check=True)
    objects = {}
    for line in listed.stdout.splitlines():
        path, rest = line.rsplit(':', 1)
        defined, wanted = objects.setdefault(source_in(sources, os.path.relpath(path, folder)), (set(), set()))
        *_, kind, name = rest.split()
        (wanted if kind in 'Uvw' else defined).add(name)
    return objects


# ---- wrong samples: the check has to bite ----

SAMPLE = Table('kgrad/made.h = low\nlow/a:\nlow/b: low/a\nhigh: low/*\nhigh/in: high\nhigh/one.c: high/in\ncommand: kgrad/*')
SAMPLE_TOPS = {'low', 'high', 'command', 'kgrad', 'other'}
BAD_INCLUDES = [('low/a/x.c', 'low/b/y.h'), ('low/b/x.c', 'high/y.h'), ('high/two.c', 'command/y.h'), ('high/two.c', 'high/in/y.h'), ('low/a/x.c', 'kgrad/high.h'),
                ('command/x.c', 'low/a/y.h'), ('high/two.c', 'other/y.h'), ('other/x.c', 'low/a/y.h')]
GOOD_INCLUDES = [('low/b/x.c', 'low/a/y.h'), ('high/one.c', 'high/in/y.h'), ('high/in/x.c', 'high/y.h'), ('high/two.c', 'low/b/y.h'), ('command/x.c', 'kgrad/high.h'),
                 ('high/two.c', 'kgrad/low.h'), ('low/a/x.c', 'kgrad/made.h'), ('low/a/x.c', 'sys/stat.h')]
BAD_CALLS = [('low/a/x.c', 'kgi_b', 'low/b/y.c'), ('high/two.c', 'kgi_in', 'high/in/y.c'), ('high/in/x.c', 'kgi_a', 'low/a/y.c'), ('command/x.c', 'kgi_high', 'high/two.c'),
             ('low/b/x.c', 'kg_high', 'high/two.c')]
GOOD_CALLS = [('low/b/x.c', 'kgi_a', 'low/a/y.c'), ('high/one.c', 'kgi_in', 'high/in/y.c'), ('high/two.c', 'kgi_one', 'high/one.c'),
              ('command/x.c', 'kg_high', 'high/two.c')]


def missed():
    for samples, want in ((BAD_INCLUDES, 1), (GOOD_INCLUDES, 0)):
        for path, name in samples:
            if len(list(forbidden_includes(SAMPLE, {path: f'#include <{name}>\n'}, SAMPLE_TOPS))) != want:
                yield f'{path} includes {name}'
    for samples, want in ((BAD_CALLS, 1), (GOOD_CALLS, 0)):
        for path, name, home in samples:
            if len(list(forbidden_calls(SAMPLE, {path: (set(), {name}), home: ({name}, set())}))) != want:
                yield f'{path} uses {name} of {home}'
    for text, want in (('/* low/a: x */', 0), ('/* low/b: x */', 1)):
        if len(list(unexplained(SAMPLE, {'low/a/y.h': text}))) != want:
            yield f'low/a begins with {text}'
    if not Table('one: two\ntwo:').wrong:
        yield 'a room that names one below it'


def main(sources, objects):
    sources = pathlib.Path(sources)
    table = Table((sources / 'tests/rooms.txt').read_text())
    if objects == '--archives':
        for top, others in table.archives().items():
            if (sources / top).is_dir():
                print(top, *sorted(o for o in others if (sources / o).is_dir()))
        return False
    folders = {p.name for p in sources.iterdir() if p.is_dir() and not p.name.startswith(('.', '_', 'build'))}
    files = [p.relative_to(sources) for top in folders - OPEN for p in sources.glob(f'{top}/**/*.*') if p.suffix in ('.c', '.h', '.def')]
    texts = {str(p): (sources / p).read_text() for p in files}
    found = table.wrong + list(forbidden_includes(table, texts, folders | {'kgrad'})) + list(unexplained(table, texts))
    described = (sources / 'doc/house.md').read_text()
    found += [f'doc/house.md says nothing of {room}' for room in table.knows if '.' not in room and not re.search(f'`{room}/?`', described)]
    found += list(forbidden_calls(table, read_objects(table, sources, pathlib.Path(objects))))
    found += [f'the check itself goes wrong over: {text}' for text in missed()]
    print(*found, sep='\n', end='\n' if found else '')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:3]))
