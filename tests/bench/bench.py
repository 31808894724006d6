#!/usr/bin/env python3
"""Measures murlua against the least that a launcher in Go can do (floor/), in one run and as ratios.

Usage: bench.py [--n 10,100] [--rounds 7] [--lines 200000] [--only NAME,...] [--json FILE]

Needs Linux with a cgroup2 that may be written to, Go and a C compiler. The machine should have nothing else to do.
Each round runs every launcher once, so that what disturbs one disturbs the others too; medians are compared.

  start  the last member's first instruction, from the start of the launcher
  stop   everything gone, from SIGTERM
  memory PSS of everything that is no member, half a second after the start
  idle   processor time of the same in two seconds of nothing
  lines  the last of many lines in the launcher's output, from the member's first instruction
"""
import argparse, json, os, re, select, shutil, signal, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def unified():
    """The directory of our own cgroup, wherever cgroup2 is mounted."""
    path = next(l.rstrip('\n')[3:] for l in open('/proc/self/cgroup') if l.startswith('0::'))
    for line in open('/proc/self/mountinfo'):
        fields = line.split(' - ')
        if fields[1].split()[0] == 'cgroup2':
            return fields[0].split()[4] + path.rstrip('/')
    sys.exit('no cgroup2 is mounted')


class Build:
    """The programs under measurement, built into a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        env = dict(os.environ, CGO_ENABLED='0')
        for name, package in (('floor', './tests/bench/floor'), ('kept', './tests/bench/kept'), ('murlua', './cmd/murlua')):
            subprocess.run(['go', 'build', '-trimpath', '-ldflags=-s -w', '-o', folder + '/' + name, package], cwd=ROOT, env=env, check=True)
        subprocess.run(['cc', '-O2', '-static', '-o', folder + '/member', HERE + '/member.c'], check=True)


class Run:
    """One launcher with its members, in a cgroup and a folder of its own."""
    count = 0

    def __init__(self, build, launcher, members):
        Run.count += 1
        self.build = build
        self.dir = tempfile.mkdtemp(dir=build.folder)
        self.group = f'{unified()}/bench-{os.getpid()}-{Run.count}'
        os.mkdir(self.group)
        self.stamps, self.out = self.dir + '/stamps', self.dir + '/out'
        open(self.stamps, 'w').close()
        env = {'PATH': os.environ['PATH'], 'HOME': self.dir, 'STAMPS': self.stamps, 'GROUP': self.group + '/cgroup.procs'}
        argv = launcher(self, env, [build.folder + '/member'] + members[1], members[0])
        self.process = subprocess.Popen([build.folder + '/member', 'begin'] + argv, cwd=self.dir, env=env, stdin=subprocess.DEVNULL,
                                        stdout=open(self.out, 'wb'), stderr=subprocess.STDOUT)
        self.pids = self.await_members(members[0])

    def read(self):
        rows = [l.split() for l in open(self.stamps) if l.endswith('\n')]
        return [int(r[2]) for r in rows if r[0] == 'z'], [(int(r[1]), int(r[2])) for r in rows if r[0] == 'm']

    def await_members(self, n):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            zero, members = self.read()
            if len(members) >= n:
                self.start_ms = (max(t for _, t in members) - zero[0]) / 1e6
                self.begun = members[0][1]
                return [pid for pid, _ in members]
            time.sleep(0.001)
        raise RuntimeError('the members did not start: ' + open(self.out, errors='replace').read()[-500:])

    def own(self):
        found = []
        for folder, _, _ in os.walk(self.group):
            try:
                found += [int(p) for p in open(folder + '/cgroup.procs').read().split()]
            except OSError:
                pass
        return [p for p in found if p not in self.pids]

    def memory_mib(self):
        total = 0
        for pid in self.own():
            try:
                total += int(re.search(r'^Pss:\s+(\d+)', open(f'/proc/{pid}/smaps_rollup').read(), re.M).group(1))
            except (OSError, AttributeError):
                pass
        return total / 1024

    def cpu_ms(self):
        total = 0
        for pid in self.own():
            try:
                total += sum(int(open(f'/proc/{pid}/task/{t}/schedstat').read().split()[0]) for t in os.listdir(f'/proc/{pid}/task'))
            except OSError:
                pass
        return total / 1e6

    def stop_ms(self):
        handles = {os.pidfd_open(pid): pid for pid in self.pids + [self.process.pid]}
        waiting = select.poll()
        for fd in handles:
            waiting.register(fd, select.POLLIN)
        begin = time.monotonic_ns()
        os.kill(self.process.pid, signal.SIGTERM)
        left = set(handles)
        while left:
            ready = waiting.poll(30000)
            if not ready:
                raise RuntimeError(f'{len(left)} processes did not end')
            for fd, _ in ready:
                waiting.unregister(fd)
                left.discard(fd)
        took = (time.monotonic_ns() - begin) / 1e6
        for fd in handles:
            os.close(fd)
        self.process.wait()
        return took

    def close(self):
        try:
            open(self.group + '/cgroup.kill', 'w').write('1')
        except OSError:
            pass
        self.process.wait()
        for _ in range(500):
            for folder, _, _ in os.walk(self.group, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    pass
            if not os.path.exists(self.group):
                break
            time.sleep(0.005)
        shutil.rmtree(self.dir, ignore_errors=True)


def floor(run, env, member, n):
    return [run.build.folder + '/floor', str(n), '--'] + member


def kept(run, env, member, n):
    return [run.build.folder + '/kept', str(n), '--'] + member


def murlua(run, env, member, n):
    words = ', '.join(json.dumps(word) for word in member)
    with open(run.dir + '/recipe.lua', 'w') as recipe:
        recipe.write('return { members = {\n' + ''.join(f'  {{ name = "p{i}", command = {{ {words} }}, grace = 2 }},\n' for i in range(n)) + '} }\n')
    return [run.build.folder + '/murlua', 'run', 'recipe.lua']


LAUNCHERS = {'floor': floor, 'kept': kept, 'murlua': murlua}
# What is asked of murlua: ratios to the floor, and MiB.
TARGETS = {('start', 10): 2.0, ('start', 100): 1.5, ('stop', 10): 1.5, ('stop', 100): 1.5, ('memory', 10): 10, ('memory', 100): 14, ('lines', 1): 2.0}


def measure(build, name, n):
    run = Run(build, LAUNCHERS[name], (n, ['wait']))
    try:
        result = {'start': run.start_ms}
        time.sleep(0.5)
        result['memory'] = run.memory_mib()
        before = run.cpu_ms()
        time.sleep(2)
        result['idle'] = (run.cpu_ms() - before) / 2
        result['stop'] = run.stop_ms()
        return result
    finally:
        run.close()


def measure_lines(build, name, lines):
    run = Run(build, LAUNCHERS[name], (1, ['write', str(lines)]))
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with open(run.out, 'rb') as out:
                out.seek(max(0, os.fstat(out.fileno()).st_size - 256))
                if b'the last line' in out.read():
                    break
            time.sleep(0.002)
        took = (time.monotonic_ns() - run.begun) / 1e6
        got = len(re.findall(rb'line \d{9} \.{84} \n', open(run.out, 'rb').read()))
        if got != lines:
            print(f'{name}: {got} of {lines} lines arrived')
        return {'lines': took}
    finally:
        run.close()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--n', default='10,100')
    options.add_argument('--rounds', type=int, default=7)
    options.add_argument('--lines', type=int, default=200000)
    options.add_argument('--only', default='')
    options.add_argument('--json', default='')
    options = options.parse_args()
    names = options.only.split(',') if options.only else list(LAUNCHERS)
    with tempfile.TemporaryDirectory(prefix='murlua-bench-') as folder:
        build = Build(folder)
        rows = []
        for _ in range(options.rounds):
            for name in names:
                rows += [(name, n, measure(build, name, n)) for n in map(int, options.n.split(','))]
                rows.append((name, 1, measure_lines(build, name, options.lines)))
    if options.json:
        with open(options.json, 'w') as out:
            json.dump(rows, out)
    report(names, rows)


def report(names, rows):
    def values(name, n, what):
        return [r[what] for who, many, r in rows if who == name and many == n and what in r]
    sizes = sorted({n for _, n, _ in rows})
    # On a machine that others use, the best of each is what says most.
    print(f'{"":8}{"n":>5}{"":>8}{"median":>10}{"of floor":>10}{"best":>10}{"of floor":>10}{"target":>9}')
    for name in names:
        for n in sizes:
            for what in ('start', 'stop', 'memory', 'idle', 'lines'):
                mine, least = values(name, n, what), values('floor', n, what)
                if not mine:
                    continue
                columns = []
                for choose in (statistics.median, min):
                    value, base = choose(mine), choose(least) if least else 0
                    ratio = value / base if base else None
                    columns.append((value, ratio))
                target = TARGETS.get((what, n), 0.0 if what == 'idle' else None)
                value, ratio = columns[0]
                against = value if what in ('memory', 'idle') else ratio
                verdict = '' if target is None or name == 'floor' or against is None else 'met' if round(against, 1) <= target else 'missed'
                cells = ''.join(f'{v:10.1f}{"" if r is None else f"{r:.2f}":>10}' for v, r in columns)
                print(f'{name:8}{n:5}{what:>8}{cells}{"" if target is None else f"{target:.1f}":>9} {verdict}')


main()
