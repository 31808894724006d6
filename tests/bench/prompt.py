#!/usr/bin/env python3
"""Measures how soon `murlua repl` shows its first prompt, against the start of a bare Lua host: the same binary with a
script that only prints. Both run in a pseudo-terminal; a round runs each once, and medians are compared.

Usage: prompt.py [--rounds 101] [--binary FILE] [--json FILE]

The machine should have nothing else to do.

  first  from just before the start until what is waited for is in the terminal
  cpu    processor time of the whole process, which its end is part of
"""
import argparse, fcntl, json, os, select, statistics, struct, subprocess, sys, tempfile, termios, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHOWN = b'> '


def once(argv, folder, leave):
    """Runs a command in a terminal of its own; returns milliseconds until it has shown SHOWN, and of processor time."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 120, 0, 0))
    env = {'PATH': os.environ['PATH'], 'HOME': folder, 'TERM': 'xterm'}
    begin = time.monotonic_ns()
    process = subprocess.Popen(argv, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    text = b''
    while not text.endswith(SHOWN):
        if not select.select([ours], [], [], 30)[0]:
            process.kill()
            sys.exit(f'{argv} shows only {text!r}')
        text += os.read(ours, 4096)
    first = (time.monotonic_ns() - begin) / 1e6
    if leave:
        os.write(ours, leave)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    os.close(theirs)
    os.close(ours)
    if status != 0:
        sys.exit(f'{argv} ended with {status}')
    return first, (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=101)
    parser.add_argument('--binary', help='measure this one; default: build it')
    parser.add_argument('--json')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.abspath(args.binary) if args.binary else folder + '/murlua'
        if not args.binary:
            env = dict(os.environ, CGO_ENABLED='0')
            subprocess.run(['go', 'build', '-trimpath', '-ldflags=-s -w', '-o', binary, './cmd/murlua'], cwd=ROOT, env=env, check=True)
        with open(folder + '/bare.lua', 'w') as script:
            script.write(f'io.write("{SHOWN.decode()}")\n')
        kinds = {'repl': ([binary, 'repl'], b'\x04'), 'bare': ([binary, 'run', 'bare.lua'], None)}
        took = {kind: [] for kind in kinds}
        for round in range(-3, args.rounds):  # the first three warm the caches
            for kind, (argv, leave) in kinds.items():
                result = once(argv, folder, leave)
                if round >= 0:
                    took[kind].append(result)
    medians = {kind: [statistics.median(column) for column in zip(*rows)] for kind, rows in took.items()}
    for kind, (first, cpu) in medians.items():
        lowest = min(row[0] for row in took[kind])
        print(f'{kind}  first {first:7.2f} ms (least {lowest:.2f})   cpu {cpu:7.2f} ms')
    ratios = [a / b for a, b in zip(medians['repl'], medians['bare'])]
    print(f'ratio first {ratios[0]:7.2f}                    cpu {ratios[1]:7.2f}')
    if args.json:
        with open(args.json, 'w') as out:
            json.dump({'rounds': args.rounds, 'medians_ms': medians, 'ratio_first': ratios[0], 'ratio_cpu': ratios[1]}, out, indent=1)


if __name__ == '__main__':
    main()
