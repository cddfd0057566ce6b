"""C does not say in which order the arguments of a call, or the operands of an operator, are evaluated, and compilers differ. So at
most one of them may build something: an instruction, a length, an id, a random draw. The others go into locals first.

A function builds if it gives something back and takes a pointer to something that it may change, or passes on such a pointer that
it finds behind a const one. A macro builds if its text does. Sequenced, and so allowed, are the sides of && || ?: and of a comma
that separates neither arguments nor initialisers, and the operands of macros that hold() them one after another (spirv/lower/gen.h)."""
import functools
import pathlib
import re
import sys

TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\d[\w.]*(?:[eEpP][+-]?\w+)?'''
                   r'''|&&|\|\||->|\+\+|--|<<=|>>=|[-+*/%&|^<>=!]=|<<|>>|\#\#|\.\.\.|\n|[^\s]''', re.S)
OPEN, CLOSE = {'(', '[', '{'}, {')', ']', '}'}
WORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'else', 'do', 'case', 'default', 'goto', 'break', 'continue'}
MACRO = 'macro'  # in place of the numbers of the parameters through which a function builds
# In suites they may stand side by side: which literal has the smaller number is not what a suite asks.
LEAVES = {'kgi_literal_of', 'kgi_int', 'kgi_float', 'kgi_bool', 'kgi_i32', 'kgi_u32', 'kgi_f32', 'kgi_param_value', 'kgi_spec_value',
          'kgi_id_value', 'kgi_len_value', 'kgi_len_int', 'kgi_len_float', 'kgi_len_param', 'kgi_len_spec', 'kgi_len_of'}


# ---- the text as a tree of brackets ----

class Group:
    """A bracket and what stands in it: pairs of a token and its line, and groups."""

    def __init__(self, kind, line):
        self.kind, self.line, self.items = kind, line, []


def tree(text, line=1):
    stack = [Group('', line)]
    for found in TOKEN.finditer(text):
        token = found.group()
        if token in OPEN:
            stack[-1].items.append(Group(token, line))
            stack.append(stack[-1].items[-1])
        elif token in CLOSE:
            stack = stack[:-1] or stack
        elif token != '\n' and not token.startswith(('//', '/*')):
            stack[-1].items.append((token, line))
        line += token.count('\n')
    return stack[0]


def preprocess(text):
    """The text without directives; and the macros, as name and tree."""
    macros, kept, lines, number = [], [], text.split('\n'), 0
    while number < len(lines):
        first, whole = number, lines[number]
        while whole.lstrip().startswith('#') and whole.endswith('\\') and number + 1 < len(lines):
            number += 1
            whole = whole[:-1] + '\n' + lines[number]
        if whole.lstrip().startswith('#'):
            found = re.match(r'\s*#\s*define\s+(\w+)(\([^)]*\))?(.*)', whole, re.S)
            if found:
                macros.append((found[1], tree(found[3], first + 1)))
            whole = '\n' * (number - first)
        kept.append(whole)
        number += 1
    return '\n'.join(kept), macros


def split(items, separators):
    parts = [[]]
    for item in items:
        if token(item) in separators:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def token(item):
    return item[0] if isinstance(item, tuple) else None


def word(item):
    return item[0] if isinstance(item, tuple) and (item[0][0].isalpha() or item[0][0] == '_') else None


def is_group(item, kind):
    return isinstance(item, Group) and item.kind == kind


def initialises(group):
    """Braces around a list, not around statements."""
    return not any(token(i) == ';' or is_group(i, '{') and not initialises(i) for i in group.items)


def tokens(items):
    for item in items:
        if isinstance(item, Group):
            yield from tokens(item.items)
        else:
            yield item[0]


# ---- which functions build ----

def pointee(parameter):
    """What a parameter points to, as words; empty if it is no pointer."""
    words = [token(i) or '(' for i in parameter]
    if '*' not in words or '(' in words:
        return []
    stars = [k for k, w in enumerate(words) if w == '*']
    return words[stars[-2] if len(stars) > 1 else 0:stars[-1]]


@functools.lru_cache(maxsize=None)
def declarations(root):
    return list(find_declarations(root))


def find_declarations(root):
    """At file scope: name, parameters, the body or None, and the words before the name."""
    start = 0
    for k, item in enumerate(root.items):
        if is_group(item, '('):
            before = [token(i) for i in root.items[start:k] if token(i)]
            pointer = [i for i in item.items if token(i) != '*']
            following = root.items[k + 1] if k + 1 < len(root.items) else None
            if len(item.items) == 2 and len(pointer) == 1 and is_group(following, '('):
                continue  # type (*name)(...): looked at where its parameters are
            if len(before) > 1 and '=' not in before and word(root.items[k - 1]):
                yield before[-1], split(item.items, {','}), following if is_group(following, '{') else None, before[:-1]
        if token(item) == ';' or is_group(item, '{'):
            start = k + 1


@functools.lru_cache(maxsize=None)
def pointers(root):
    return list(find_pointers(root))


def find_pointers(group):
    """Function pointers anywhere: (*name)(parameters), with the parameters."""
    for k, item in enumerate(group.items):
        if isinstance(item, Group):
            named = [token(i) for i in item.items]
            following = group.items[k + 1] if k + 1 < len(group.items) else None
            returns = token(group.items[k - 1]) if k else None
            if len(named) == 2 and named[0] == '*' and is_group(following, '(') and returns not in (None, 'void'):
                yield named[1], split(following.items, {','})
            yield from find_pointers(item)


def own(argument):
    """&(type){...}: what is made for this call alone."""
    return len(argument) == 3 and token(argument[0]) == '&' and is_group(argument[1], '(') and is_group(argument[2], '{')


class Lint:
    def __init__(self):
        self.shared, self.ordered, self.complaints = {}, set(), []

    def learn(self, root, macros, known):
        """Takes note of what a file declares and defines."""
        types = {}
        for name, parameters, body, before in declarations(root):
            by = {n for n, p in enumerate(parameters) if pointee(p) and 'const' not in pointee(p)}
            if 'typedef' in before:
                types[name] = by
            elif 'void' in before and '*' not in before:
                known.pop(name, None)
            elif known.get(name) != MACRO: # which stands there by itself
                known[name] = by | known.get(name, set()) if body is None else by
        for name, parameters in pointers(root):
            if any(pointee(p) and 'const' not in pointee(p) for p in parameters):
                known[name] = {n for n, p in enumerate(parameters) if pointee(p) and 'const' not in pointee(p)}
        for part in split(root.items, {';'}):  # type name, name, name;
            if len(part) > 1 and token(part[0]) in types:
                known.update((token(i), types[token(part[0])]) for i in part[1:] if word(i))
        self.known = known
        for _ in range(3):
            for name, body in macros:
                if self.within(body):
                    known[name] = MACRO
                if any(t in self.ordered or t == 'hold' for t in tokens(body.items)):
                    self.ordered.add(name)
            for name, parameters, body, before in declarations(root):
                if body and isinstance(known.get(name), set):
                    known[name] = known[name] | {n for n, p in enumerate(parameters)
                                                 if 'const' in pointee(p) and self.passes_on(body, token(p[-1]))}
                    if 'static' not in before and name in self.shared:
                        self.shared[name] = known[name]

    def passes_on(self, group, name):
        """Whether a call builds through what lies behind the parameter: name->x or &name->x."""
        for k, item in enumerate(group.items):
            if not isinstance(item, Group):
                continue
            by = self.known.get(word(group.items[k - 1])) if k and item.kind == '(' else None
            parts = split(item.items, {','})
            for n in range(len(parts)) if by is MACRO else by or ():
                words = [token(i) for i in parts[n]] if n < len(parts) else []
                words = words[1:] if words[:1] == ['&'] else words
                if words[:2] == [name, '->'] and None not in words or words == [name]:
                    return True
            if self.passes_on(item, name):
                return True
        return False

    # ---- what a call may hold ----

    def builds(self, items):
        """How many of these operands build."""
        count, callee = 0, None
        for item in items:
            if isinstance(item, Group):
                count += item.kind == '(' and self.call_builds(callee, item) or self.within(item)
                callee = None
            else:
                callee = word(item)
        return count

    def call_builds(self, callee, group):
        by = self.known.get(callee, ())
        parts = split(group.items, {','})
        return by is MACRO or any(n < len(parts) and not own(parts[n]) for n in by)

    def within(self, group):
        return any(self.builds(part) for part in split(group.items, {',', ';'}))

    def check(self, group, listed):
        """`listed`: its commas separate arguments or initialisers."""
        for clause in split(group.items, {';'}):
            parts = split(clause, {','})
            if listed and sum(bool(self.builds(part)) for part in parts) > 1:
                self.complain(group, 'two arguments or initialisers build')
            for part in parts:
                for chunk in split(part, {'&&', '||', '?', ':'}):
                    for run in self.runs(chunk):
                        self.check_run(run, group)

    def check_run(self, run, group):
        if self.builds(run) > 1:
            self.complain(next((i for i in run if isinstance(i, Group)), group), 'two operands build')
        for k, item in enumerate(run):
            if isinstance(item, Group):
                before = word(run[k - 1]) if k else None
                call = before and before not in WORDS and before not in self.ordered or k and is_group(run[k - 1], ')')
                self.check(item, item.kind == '(' and bool(call) or item.kind == '{' and initialises(item))

    def runs(self, chunk):
        """Statements that no semicolon ends: blocks, and what follows if (...), MACRO(...), else, do and return."""
        run = []
        for item in chunk:
            if is_group(item, '{') and not initialises(item):
                yield run
                yield [item]
                run = []
            elif token(item) in ('else', 'do', 'return'):
                yield run
                run = []
            else:
                called = word(run[-2]) if len(run) > 1 and is_group(run[-1], '(') else None
                if called in ('if', 'while', 'for', 'switch') or called and word(item):
                    yield run
                    run = []
                run.append(item)
        yield run

    def complain(self, group, what):
        self.complaints.append(f'{self.path}:{group.line}: {what}')

    def file(self, path, root, macros):
        self.path = path
        suite = pathlib.Path(path).name.startswith('test_')
        self.learn(root, macros, {name: by for name, by in self.shared.items() if not (suite and name in LEAVES)})
        self.check(root, False)
        for _, body in macros:
            self.check(body, False)


def complaints(texts):
    """Of files, by their paths."""
    lint, parsed = Lint(), {}
    for path, text in texts.items():
        kept, macros = preprocess(text)
        parsed[path] = tree(kept), macros
    for _ in range(2):
        for path in [p for p in parsed if p.endswith('.h')] * 2:
            lint.learn(*parsed[path], lint.shared)
        for path in parsed:
            lint.learn(*parsed[path], dict(lint.shared))
    for path in parsed:
        lint.file(path, *parsed[path])
    return lint.complaints


# ---- the lint itself ----

HEADER = """
typedef struct builder builder;
typedef struct gen { builder *b; } gen;
typedef int body(const gen *g, const int *x);
int load(builder *b, int x);
int store(builder *b, int x, int y);
int size(const builder *b);
int behind(const gen *g, int x);
body sine;
void done(builder *b);
static inline int neg(const gen *g, int x) { return load(g->b, x); }
static inline void hold(const gen *g, int x);
static inline int apply(const gen *g);
#define add(g, x, y) (hold(g, y), hold(g, x), apply(g))
#define LIST(...) (const int[]){__VA_ARGS__}, 2
#define GET(x) load(b, x)
"""
ELSEWHERE = 'int behind(const gen *g, int x) { return load(g->b, x); }\nint sine(const gen *g, const int *x) { return neg(g, *x); }\n'
WRONG = ('store(b, load(b, 1), load(b, 2))', 'store(b, 1 + size(b), GET(1) + GET(2))', 'x = load(b, 1) * load(b, 2)',
         'int x[2] = {load(b, 1), load(b, 2)}', 'x = y ? store(b, load(b, 1), GET(2)) : 0', 'printf("", load(b, 1), own(b))',
         'f(LIST(load(b, 1), load(b, 2)))', 'f(&(place){.x = load(b, 1), .y = own(b)})', 'x[load(b, 1)] = load(b, 2)',
         'f(neg(g, 1), neg(g, 2))', 'f(behind(g, 1), sine(g, &x))', 'if (x) store(b, own(b), own(b))', 'f(t->make(b), load(b, 1))',
         'store(b, (load(b, 1)), y && load(b, 2))', 'for (int i = f(own(b), own(b)); i < 2; i++) done(b)', 'f(wrapped(g), neg(g, 1))')
RIGHT = ('store(b, load(b, 1), size(b) + size(b))', 'x = load(b, load(b, load(b, 1)))', 'int x = load(b, 1), y = load(b, 2)',
         'return y ? load(b, 1) : load(b, 2)', 'if (load(b, 1) && load(b, 2)) x = load(b, 3)', 'done(b), load(b, 1), load(b, 2)',
         'add(g, neg(g, 1), add(g, neg(g, 2), neg(g, 3)))', 'for (x = load(b, 1); load(b, 2); x = load(b, 3)) load(b, 4)',
         'f(fresh(&(num){0}), fresh(&(num){1}))', 'if (x) load(b, 1); else load(b, 2)', 'load(b, "load(b, 1), load(b, 2)")',
         'switch (x) { case 1: load(b, 1); }')


def missed():
    """What is planted and not found, and what is found where all is well."""
    for text, wanted in [(t, True) for t in WRONG] + [(t, False) for t in RIGHT]:
        own = 'static int own(builder *b) { return load(b, 1); }\nstatic const char *fresh(num *n);\n'
        own += 'struct table { int (*make)(builder *b); };\nstatic int wrapped(const gen *g) { return neg(g, 1); }\n'
        found = complaints({'a/a.h': HEADER, 'a/b.c': ELSEWHERE, 'a/a.c': own + 'static void f(void) { ' + text + '; }\n'})
        if bool(found) != wanted:
            yield f'{text}: {"not found" if wanted else "found"} {found}'


def main(folder):
    folder = pathlib.Path(folder)
    paths = sorted(p.relative_to(folder) for kind in ('c', 'h') for p in folder.glob(f'*/**/*.{kind}'))
    found = complaints({str(p): (folder / p).read_text() for p in paths if not p.parts[0].startswith(('build', '.'))})
    found += [f'the lint itself: {text}' for text in missed()]
    print(*found, sep='\n', end='\n' if found else '')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
