"""Writes what a shell needs to complete the command's words, from what the command says of itself: `completions.py KGRAD FILE`.

FILE is called kgrad (for bash), _kgrad (zsh) or kgrad.fish."""
import os
import re
import subprocess
import sys

ROW = re.compile(r'^  (?:-(\w), |    )--([a-z-]+)(?: (\S+))?(?: +(\S.*))?$')
NAME = re.compile(r'^  ([a-z]+) +(\S.*)$')


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def section(lines, title):
    """What stands below the title, to the next empty line."""
    rest = lines[lines.index(title) + 1:]
    return rest[:rest.index('')] if '' in rest else rest


def names(lines, title):
    return [NAME.match(line).groups() for line in section(lines, title)]


class Option:
    def __init__(self, letter, name, argument, text):
        self.letter, self.name, self.argument, self.text = letter, name, argument, text or ''
        self.choices = argument.split('|') if argument and argument == argument.lower() else []

    def words(self):
        return [f'--{self.name}'] + ([f'-{self.letter}'] if self.letter else [])


def options(command):
    """A long argument leaves the line below it for the text."""
    found = []
    for line in section(said(KGRAD, command, '--help'), 'options:'):
        row = ROW.match(line)
        if row:
            found.append(Option(*row.groups()))
        elif not found[-1].text:
            found[-1].text = line.strip()
    return found


# ---- bash ----

def bash(commands, topics, table):
    yield '# Completion of kgrad for bash. Made by tools/completions.py.'
    yield '_kgrad() {'
    yield '    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='
    yield '    COMPREPLY=()'
    yield '    if ((COMP_CWORD == 1)); then'
    yield f'        words="{" ".join(n for n, _ in commands)} --help --version"'
    yield '    else'
    yield '        case ${COMP_WORDS[1]},$before,$word in'
    yield f'        help,*) words="{" ".join(n for n, _ in commands + topics)}" ;;'
    for command, rows in table.items():
        for o in (o for o in rows if o.choices):
            for w in o.words():
                yield f'        {command},{w},*) words="{" ".join(o.choices)}" ;;'
        yield f'        {command},*,-*) words="{" ".join(w for o in rows for w in o.words())}" ;;'
    yield '        esac'
    yield '    fi'
    yield '    [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield '}'
    yield 'complete -o default -F _kgrad kgrad'


# ---- zsh ----

def quoted(text, *special):
    for c in ('\\', *special):
        text = text.replace(c, '\\' + c)
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_option(o):
    text = o.text.replace('[', '(').replace(']', ')')
    argument = '' if not o.argument else f':{o.name}:({" ".join(o.choices)})' if o.choices else f':{o.argument.replace(":", " ")}:_files'
    for w in o.words():
        yield quoted(f'*{w}[{text}]{argument}')


def zsh(commands, topics, table):
    yield '#compdef kgrad'
    yield '# Completion of kgrad for zsh. Made by tools/completions.py.'
    yield 'local -a commands topics'
    yield 'commands=(' + ' '.join(quoted(f'{n}:{t}') for n, t in commands) + ')'
    yield 'topics=(' + ' '.join(quoted(f'{n}:{t}') for n, t in topics) + ')'
    yield 'if (( CURRENT == 2 )); then'
    yield "    _describe 'command' commands"
    yield '    return'
    yield 'fi'
    yield 'local command=$words[2]'
    yield 'shift words'
    yield '(( CURRENT-- ))'
    yield 'case $command in'
    yield "help) _describe 'command' commands; _describe 'topic' topics ;;"
    for command, rows in table.items():
        yield f'{command}) _arguments \\'
        for o in rows:
            for word in zsh_option(o):
                yield f'    {word} \\'
        yield "    '*:file:_files' ;;"
    yield 'esac'


# ---- fish ----

def fish(commands, topics, table):
    yield '# Completion of kgrad for fish. Made by tools/completions.py.'
    for name, text in commands:
        yield f'complete -c kgrad -f -n __fish_use_subcommand -a {name} -d {quoted(text)}'
    for name, text in commands + topics:
        yield f"complete -c kgrad -f -n '__fish_seen_subcommand_from help' -a {name} -d {quoted(text)}"
    for command, rows in table.items():
        for o in rows:
            letter = f' -s {o.letter}' if o.letter else ''
            argument = '' if not o.argument else f' -x -a {quoted(" ".join(o.choices))}' if o.choices else ' -r'
            yield f"complete -c kgrad -n '__fish_seen_subcommand_from {command}' -l {o.name}{letter}{argument} -d {quoted(o.text)}"


def main():
    lines = said(KGRAD, 'help')
    commands, topics = names(lines, 'commands:'), names(lines, 'topics:')
    table = {name: options(name) for name, _ in commands if name != 'help'}
    shell = {'kgrad': bash, '_kgrad': zsh, 'kgrad.fish': fish}[os.path.basename(sys.argv[2])]
    text = '\n'.join(shell(commands, topics, table)) + '\n'
    with open(sys.argv[2], 'w', encoding='utf-8') as out:
        out.write(text)


KGRAD = os.path.abspath(sys.argv[1])
main()
