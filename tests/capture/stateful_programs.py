"""Programs that work on lists, dictionaries, objects, modules, generators and variables that outlive them."""

# ruff: noqa: B006, B007, B018, B023, C416, F811, F841, RUF059, SIM223, UP031 (programs do such things)

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import itertools
import types

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

PROGRAMS = {}


def case(f):
    PROGRAMS[f.__name__] = f
    return f


class Node:
    cls_list = []
    count = 0

    def __init__(self, v, next=None):
        self.v = v
        self.next = next
        self.kids = []

    def add(self, k):
        self.kids.append(k)
        return self

    def __eq__(self, o):
        return isinstance(o, Node) and self.v == o.v

    __hash__ = None


@dataclasses.dataclass
class State:
    step: int = 0
    hist: list = dataclasses.field(default_factory=list)
    t: object = None


class Stateful(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))
        self.register_buffer("c", torch.zeros(()))
        self.n = 0
        self.cache = None
        self.log = []
        self.sub = nn.ReLU()
        self.d = {}

    def forward(self, x, k=None):
        self.n += 1
        self.c += 1
        self.cache = x.detach() * 2
        self.log.append(self.n)
        self.d["last"] = self.n
        return self.sub(x * self.w) + self.c + self.n


class Buffered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("buf", torch.zeros(4))
        self.register_buffer("none", None)

    def forward(self, x):
        self.buf = self.buf * 0.5 + x.mean(0)
        if self.none is None:
            self.none = x.sum(0)
        else:
            self.none = self.none + 1
        return x + self.buf


LOG = []
TABLE = {}
ROOT = Node(1)
STATE = State()
SPACE = types.SimpleNamespace()
MEMBERS = set()
QUEUE = collections.deque(maxlen=3)
COUNTER = collections.Counter()
DEFAULTS = collections.defaultdict(list)
ORDERED = collections.OrderedDict()
TOTAL = torch.zeros(4)
MODULE = Stateful()
BUFFERED = Buffered()
PAIR = ([], {})
NUMBER = 0
WEIGHTS = {}


def reset():
    global NUMBER, MODULE, BUFFERED, STATE, ROOT, SPACE, TOTAL
    LOG.clear()
    TABLE.clear()
    MEMBERS.clear()
    QUEUE.clear()
    COUNTER.clear()
    DEFAULTS.clear()
    ORDERED.clear()
    PAIR[0].clear()
    PAIR[1].clear()
    NUMBER = 0
    Node.cls_list = []
    Node.count = 0
    ROOT.__dict__.clear()
    ROOT.__init__(1)
    STATE.__dict__.clear()
    STATE.__init__()
    SPACE.__dict__.clear()
    TOTAL = torch.zeros(4)
    WEIGHTS.clear()
    with torch.no_grad():
        MODULE.w.fill_(1)
        MODULE.c.zero_()
        BUFFERED.buf.zero_()
    MODULE.n = 0
    MODULE.cache = None
    MODULE.log = []
    MODULE.d = {}
    MODULE.train()
    BUFFERED.none = None
    BUFFERED.buf = torch.zeros(4)
    MODULE.w.grad = None
    MODULE.w.requires_grad_(True)
    for k in list(MODULE.__dict__):
        if k.startswith("x_"):
            delattr(MODULE, k)
    global STEPS
    STEPS = gen_factory()


def gen_factory():
    i = 0
    while True:
        i += 1
        r = yield i
        if r is not None:
            i = r


def state():
    return (
        LOG,
        TABLE,
        sorted(MEMBERS, key=str),
        list(QUEUE),
        dict(COUNTER),
        dict(DEFAULTS),
        list(ORDERED.items()),
        PAIR,
        NUMBER,
        Node.cls_list,
        Node.count,
        ROOT.__dict__,
        STATE.__dict__,
        SPACE.__dict__,
        MODULE.n,
        MODULE.c,
        MODULE.cache,
        MODULE.log,
        MODULE.d,
        MODULE.training,
        BUFFERED.buf,
        BUFFERED.none,
        TOTAL,
        MODULE.w,
        MODULE.w.grad,
        [k for k in MODULE.__dict__ if k.startswith("x_")],
        WEIGHTS,
    )


@case
def mut_list(x):
    LOG.append(x)
    LOG.append(len(LOG))
    LOG[0] = LOG[0] + 1
    y = LOG[-1]
    LOG.extend([1, 2])
    del LOG[1]
    LOG.insert(0, "q")
    return (len(LOG) + y * 0, LOG[::-1][0])


@case
def mut_alias(x):
    b = LOG
    b.append([1])
    c = b[0]
    c.append(2)
    LOG[0].append(3)
    b = b + [4]
    b.append(5)
    LOG.append(c)
    return (x, b, LOG, LOG[-1] is LOG[0], b is LOG)


@case
def mut_dict(x):
    TABLE["a"] = x + 1
    d = TABLE
    d.setdefault("l", []).append(1)
    TABLE["l"].append(2)
    k = list(d)
    d.update(z=3)
    r = d.pop("z")
    TABLE["n"] = {"m": TABLE["l"]}
    TABLE["n"]["m"].append(9)
    return (r, k, TABLE["a"], [v for v in TABLE["l"]])


@case
def dict_iter(x):
    TABLE.update(a=1, b=2, c=3)
    it = iter(TABLE.items())
    k, v = next(it)
    y = x * v
    ks = TABLE.keys()
    D2 = dict(TABLE)
    for k2, v2 in it:
        y = y + v2
    TABLE["e"] = 5
    return (y, list(ks), len(ks), D2)


@case
def graph_obj(x):
    n = Node(2, ROOT)
    ROOT.add(n)
    n.add(ROOT)
    ROOT.v = n.v + 3
    n.next.v += 1
    ROOT.kids[-1].t = x * 2
    return (ROOT.kids[-1].t, n.next is ROOT, ROOT.kids[0].kids[0].v, Node(2) == n)


@case
def cls_attrs(x):
    Node.cls_list.append(1)
    Node.count += 1
    n = Node(0)
    n.count += 5
    type(n).count += 1
    return (x, Node.count, n.count, n.cls_list is Node.cls_list, n.__dict__)


@case
def dcl(x):
    STATE.step += 1
    STATE.hist.append(STATE.step)
    STATE.t = x if STATE.t is None else STATE.t + x
    s = dataclasses.replace(STATE, step=9)
    s.hist.append(7)
    s.t = s.t * 2
    return (STATE.t, s.t, STATE.hist, s.step)


@case
def ns(x):
    SPACE.a = 1
    SPACE.b = getattr(SPACE, "b", 0) + 1
    SPACE.c = x
    del SPACE.a
    vars(SPACE)["q"] = SPACE.b
    return (SPACE.c * SPACE.b, hasattr(SPACE, "a"), SPACE.q, sorted(vars(SPACE)))


@case
def sets(x):
    MEMBERS.add(1)
    MEMBERS.update([2, 3])
    s = MEMBERS
    s.discard(2)
    t = s | {9}
    s ^= {5}
    return (x, sorted(t), sorted(MEMBERS), 5 in s)


@case
def dq(x):
    for i in range(5):
        QUEUE.append(i)
    QUEUE.appendleft("l")
    v = QUEUE.popleft()
    QUEUE.rotate(1)
    QUEUE[0] = x
    return (list(QUEUE), v, QUEUE.maxlen)


@case
def cnt(x):
    COUNTER["a"] += 2
    COUNTER.update("ab")
    DEFAULTS["k"].append(x.shape[0])
    DEFAULTS["z"]
    ORDERED["q"] = 1
    ORDERED["w"] = 2
    ORDERED.move_to_end("q")
    return (x, COUNTER["zz"], len(DEFAULTS), list(ORDERED))


@case
def glob_num(x):
    global NUMBER, TOTAL
    NUMBER += 1
    a = NUMBER
    NUMBER = NUMBER * 2
    TOTAL = TOTAL + x[0]
    TOTAL.add_(1)
    return (x + a, NUMBER, TOTAL)


@case
def module_state(x):
    y = MODULE(x)
    MODULE.x_new = y.detach()
    MODULE.log[-1] *= 2
    z = MODULE(y)
    return (z, MODULE.n, MODULE.cache.sum(), MODULE.x_new)


@case
def module_buf(x):
    a = BUFFERED(x)
    b = BUFFERED.buf
    c = BUFFERED(a)
    return (c, b, BUFFERED.buf is b, BUFFERED.none)


@case
def module_train(x):
    MODULE.eval()
    y = F.dropout(x, 0.5, MODULE.training)
    MODULE.train()
    return (y, MODULE.training, MODULE.sub.training)


@case
def param_inpl(x):
    with torch.no_grad():
        MODULE.w.add_(1)
        MODULE.w[0] = 5
    y = MODULE.w * x
    MODULE.w.requires_grad_(False)
    r = MODULE.w.requires_grad
    MODULE.w.requires_grad_(True)
    return (y, r)


@case
def train_step(x):
    items = (MODULE(x) ** 2).sum()
    items.backward()
    g = MODULE.w.grad.clone()
    with torch.no_grad():
        MODULE.w -= 0.01 * MODULE.w.grad
    MODULE.w.grad = None
    return (items.detach(), g)


@case
def input_mut(x):
    x.add_(1)
    y = x[0]
    y.mul_(2)
    z = x.view(-1)
    z[5] = 9
    x[1:, 1] = 0
    w = x.t()
    w.sub_(1)
    return (y, z[:3], w.sum(), x._version > 0)


@case
def alias_in(x):
    a = x
    b = x.detach()
    a += 1
    b *= 2
    c = x.clone()
    c[0] = 0
    return (a is x, b, c)


@case
def gens(x):

    def g(n):
        t = x
        for i in range(n):
            t = t + i
            r = yield t
            if r is not None:
                LOG.append(r)
                t = t * r
        return t.sum()

    it = g(4)
    a = next(it)
    b = it.send(2)
    rest = list(it)
    return (a, b, rest, LOG)


@case
def gen_state(x):
    a = next(STEPS)
    b = STEPS.send(10)
    return (x * a + b, next(STEPS))


@case
def gen_deleg(x):

    def inner():
        try:
            for i in range(3):
                yield (x + i)
        finally:
            LOG.append("closed")
        return 5

    def outer():
        r = yield from inner()
        LOG.append(r)
        yield r

    return (list(outer()), LOG)


@case
def gen_exc(x):

    def g():
        try:
            yield x
        except KeyError as e:
            LOG.append(str(e))
            yield (x * 2)
        yield (x * 3)

    it = g()
    a = next(it)
    b = it.throw(KeyError("k"))
    c = next(it)
    return (a, b, c, next(it, None))


@case
def try_fin(x):
    y = x
    for i in range(3):
        try:
            if i == 1:
                raise ValueError(i)
            y = y + 1
        except ValueError as e:
            LOG.append(e.args)
            y = y * 2
            continue
        else:
            LOG.append("else")
        finally:
            LOG.append(i)
            y = y - 1
    return (y, LOG)


@case
def try_ret(x):

    def f(v):
        try:
            if v > 1:
                return x * v
            raise KeyError
        except KeyError:
            return x - v
        finally:
            LOG.append(v)

    return (f(0), f(5), LOG)


@case
def nested_exc(x):
    try:
        try:
            {}["k"]
        except KeyError as e:
            try:
                raise TypeError("t") from e
            finally:
                LOG.append("f")
    except TypeError as e2:
        r = (type(e2.__cause__).__name__, str(e2), e2.__cause__.args)
    return (x, r)


@case
def reraise(x):

    def f():
        try:
            raise RuntimeError("r")
        except RuntimeError:
            LOG.append(1)
            raise

    try:
        f()
    except RuntimeError as e:
        return (x, str(e), LOG)


@case
def escapes(x):
    LOG.append(1)
    y = x + 1
    TABLE["y"] = y
    raise ValueError("out %d" % len(LOG))


@case
def ctx(x):

    class C:
        def __init__(self, n, sw=False):
            self.n = n
            self.sw = sw

        def __enter__(self):
            LOG.append("in" + self.n)
            return self

        def __exit__(self, t, v, tb):
            LOG.append("out" + self.n + (t.__name__ if t else ""))
            return self.sw

    with C("a") as c, C("b", True) as d:
        y = x + 1
        c.z = y
        raise KeyError("q")
    with C("c"):
        y = c.z * 2
    return (y, LOG)


@case
def ctx_gen(x):

    @contextlib.contextmanager
    def cm(n):
        LOG.append("e" + n)
        try:
            yield n
        finally:
            LOG.append("x" + n)

    with cm("1") as a:
        with cm("2"):
            y = x * 2
        y = y + 1
    return (y, LOG, a)


@case
def grad_modes(x):
    w = MODULE.w
    with torch.no_grad():
        a = w * x
        with torch.enable_grad():
            b = w * x
        torch.set_grad_enabled(True)
        c = w + 1
        torch.set_grad_enabled(False)
    d = w * 2
    return (
        a.requires_grad,
        b.requires_grad,
        c.requires_grad,
        d.requires_grad,
        torch.is_grad_enabled(),
    )


@case
def autoc(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        a = x @ x.T
        with torch.autocast("cpu", enabled=False):
            b = x @ x.T
        c = x @ x.T
    return (a.dtype, b.dtype, c.dtype, (x @ x.T).dtype)


@case
def closures(x):
    fs = []
    n = 0
    for i in range(3):

        def f(y, k=i):
            nonlocal n
            n += k + i
            return y + n

        fs.append(f)
    r = [f(x) for f in fs]
    return (r, n, fs[0].__defaults__, fs[0].__closure__[0].cell_contents)


@case
def fn_attr(x):

    def f(y):
        f.calls = getattr(f, "calls", 0) + 1
        return y * f.calls

    f(x)
    f(x)
    return (f(x), f.calls, f.__name__)


@case
def defaults(x):

    def f(v, acc=[]):
        acc.append(v)
        return acc

    f(1)
    f(2)
    g = functools.partial(f, 3)
    return (x, g(), f(4, [0]))


@case
def comp_scope(x):
    i = 5
    items = [i for i in range(3)]
    d = {k: [j + k for j in items if j != k] for k in items}
    return (x + i, items, d, [(lambda: q)() for q in items])


@case
def swap(x):
    a, b = (x, x + 1)
    a, b = (b, a)
    items = [a, b]
    items[0], items[1] = (items[1], items[0])
    (c, *d), e = ([1, 2, 3], 4)
    return (a, b, items, c, d, e)


@case
def loops(x):
    y = x
    out = []
    for i in range(10):
        if i == 2:
            continue
        if i == 5:
            break
        out.append(i)
        y = y + i
    else:
        out.append("no")
    while len(out) < 6:
        out.append(len(out))
        y = y * 1.5
    else:
        out.append("done")
    return (y, out)


@case
def zips(x):
    it = iter(range(6))
    pairs = list(zip(it, it))
    e = enumerate("ab")
    first = next(e)
    rest = list(e)
    r = reversed([1, 2, 3])
    z = next(r)
    ch = itertools.chain([1], [2, 3])
    c = next(ch)
    return (x, pairs, first, rest, z, list(r), c, list(ch))


@case
def it_hold(x):
    items = [1, 2, 3, 4]
    it = iter(items)
    a = next(it)
    items.append(5)
    b = next(it)
    items[3] = 9
    return (x + a, b, list(it), items)


@case
def slices(x):
    items = list(range(6))
    items[1:3] = [x]
    items[-1:] = []
    del items[0]
    items[::2] = [7] * len(items[::2])
    items += [1]
    m_ = items
    items = items + [2]
    return (items, m_, items is m_)


@case
def tens_attr(x):
    x.tag = 5
    y = x + x.tag
    y.foo = [1]
    y.foo.append(2)
    z = y
    z.foo.append(3)
    return (y.foo, hasattr(x, "tag"), getattr(y, "nope", None))


@case
def tens_keys(x):
    y = x + 1
    d = {x: 1, y: 2}
    s = {x}
    items = [x, y]
    return (d[x], d[y], x in d, y in s, len(s), any(t is y for t in items))


@case
def isx(x):
    y = x
    z = x.view(3, 4)
    w = x.contiguous()
    v = x.to(torch.float32)
    return (y is x, z is x, w is x, v is x, x.detach() is x)


@case
def out_kw(x):
    o = torch.zeros(3, 4)
    r = torch.mul(x, 2, out=o)
    o += 1
    return (r is o, r)


@case
def rand(x):
    a = torch.rand(3)
    b = F.dropout(x, 0.5)
    c = torch.randn_like(x)
    d = torch.randperm(5)
    return (a, b, c, d, torch.rand(1))


@case
def weird(x):
    y = x if LOG else x * 2
    LOG.append(1)
    y = y + (1 if len(LOG) > 1 else 0)
    z = None or y
    w = 0 and y
    return (z, w, not LOG, LOG and x.sum(), bool(LOG))


@case
def late_bind(x):

    def f():
        return helper(x)

    def helper(v):
        return v + 1

    r = f()

    def helper(v):
        return v + 2

    return (r, f())


@case
def meth(x):

    class K:
        reg = {}

        def __init_subclass__(c, **k):
            super().__init_subclass__()
            K.reg[c.__name__] = k.get("n", 0)

        def go(self, y):
            return y + 1

    class L(K, n=3):
        def go(self, y):
            return super().go(y) * 2

    f = L().go
    g = K.go
    return (f(x), g(L(), x), K.reg, L.__name__, f.__self__.__class__ is L)


@case
def bound(x):
    ap = LOG.append
    ap(1)
    ap(x)
    up = TABLE.update
    up(a=2)
    j = ",".join
    g = TABLE.get
    return (LOG[-1], j(["a", "b"]), g("a"), g("z", 3), len(LOG))


@case
def starred(x):

    def f(*a, **k):
        a += (9,)
        k["z"] = 1
        return (a, k)

    kw = {"q": 2}
    r = f(1, *[2, 3], **kw)
    return (x, r, kw)


@case
def wt(x):
    WEIGHTS["a"] = x
    WEIGHTS["b"] = WEIGHTS["a"]
    WEIGHTS["a"] += 1
    WEIGHTS["c"] = WEIGHTS["a"].clone()
    WEIGHTS["c"] += 1
    return (WEIGHTS["b"], WEIGHTS["a"] is x, WEIGHTS["c"])


@case
def nested_containers(x):
    PAIR[0].append({"k": [x]})
    PAIR[0][0]["k"].append(2)
    PAIR[1]["a", 1] = PAIR[0][0]
    PAIR[1]["a", 1]["k"][1] += 5
    q, w = PAIR
    q[0]["n"] = len(w)
    return (PAIR[0][0]["k"][1], list(w), w["a", 1] is q[0])


@case
def del_local(x):
    y = x + 1
    z = y
    del y
    try:
        y
    except NameError as e:
        r = type(e).__name__
    y = 3
    return (z, r, y)


@case
def cond_def(x):
    if x.shape[0] == 3:
        k = 1
    for i in []:
        pass
    try:
        i
    except UnboundLocalError:
        k += 1
    return x + k


@case
def setattr_mod(x):
    MODULE.x_a = 3
    MODULE.x_t = x.sum()
    MODULE.x_l = [MODULE.x_t]
    r = MODULE.x_t * MODULE.x_a
    del MODULE.x_a
    return (r, hasattr(MODULE, "x_a"), MODULE.x_l[0])


@case
def walr(x):
    return ([y for v in range(4) if (y := (v * 2)) > 2], (n := len(LOG)), n + 1)


@case
def matchs(x):
    out = []
    for v in (1, [1, 2, 3], {"a": 1, "b": 2}, Node(4), "s", None, (x, 2)):
        match v:
            case 1:
                out.append("one")
            case [a, *b] if len(b) == 2:
                out.append((a, b))
            case {"a": q, **r}:
                out.append((q, r))
            case Node(v=k):
                out.append(k)
            case str():
                out.append("str")
            case [t, 2]:
                out.append(t.sum())
            case _:
                out.append("other")
    return out


@case
def sorts(x):
    items = [(2, "b"), (1, "a"), (2, "a")]
    items.sort(key=lambda t: t[1])
    s = sorted(items, key=lambda t: -t[0])
    mx = max(items, key=lambda t: t[0])
    ts = sorted([x[0], x[1]], key=lambda t: t.shape)
    return (items, s, mx, ts)


@case
def red(x):
    return (
        functools.reduce(lambda a, b: a + b, [x, x * 2, x * 3]),
        sum([x, x]),
        sum(i for i in range(4)),
        max([3, 1], default=0),
        min([], default=7),
        list(map(lambda a, b: a * b, [1, 2], [x, x])),
        list(filter(lambda v: v > 1, [1, 2, 3])),
    )


@case
def inherit(x):

    class P:
        def __init__(self, a):
            self.a = a

        @property
        def p(self):
            return self.a * 2

        def __getattr__(self, n):
            if n.startswith("dyn"):
                return len(n)
            raise AttributeError(n)

    class Q(P):
        def __init__(self, a):
            super().__init__(a + 1)
            self._p = 3

        @P.p.setter
        def p(self, v):
            self.a = v

    q = Q(1)
    q.p = 7
    return (x * q.p, q.dynam, getattr(q, "zz", None), q._p)


@case
def recur(x):

    def tree(n):
        return {"v": x * n, "c": [tree(n - 1) for _ in range(2)]} if n else None

    def tot(t):
        return 0 if t is None else t["v"].sum() + sum(tot(c) for c in t["c"])

    return tot(tree(3))
