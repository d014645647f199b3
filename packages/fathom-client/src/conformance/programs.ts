/** What the checks run, in each language that can do it all. */

/** Sources by what they do. */
export interface Programs {
  language: string;
  /** Prints `out` on stdout and `err` on stderr. */
  both: string;
  exit3: string;
  killSelf: string;
  /** Prints `first`, flushed, then sleeps for a minute. */
  sleep: string;
  /** Prints what it reads. */
  echo: string;
  /** Prints the variable CONFORM. */
  env: string;
  /** Takes memory without end. */
  memory: string;
  /** Prints without end. */
  flood: string;
  /** Prints 1 to 20 000, a line each. */
  count: string;
  /** Prints `fresh` unless an earlier run was here, and leaves a mark. */
  mark: string;
  /** Prints `reached` when a host of the Internet answers, else `closed`. */
  network: string;
}

export const PROGRAMS: readonly Programs[] = [
  {
    language: 'python',
    both: 'import sys; print("out"); print("err", file=sys.stderr)',
    exit3: 'import sys; sys.exit(3)',
    killSelf: 'import os; os.kill(os.getpid(), 9)',
    sleep: 'import time; print("first", flush=True); time.sleep(60)',
    echo: 'import sys; sys.stdout.write(sys.stdin.read())',
    env: 'import os; print(os.environ.get("CONFORM"))',
    memory: 'a = []\nwhile True: a.append(bytearray(b"x" * 10_000_000))',
    flood: 'while True: print("x" * 1000)',
    count: 'for i in range(1, 20001): print(i)',
    mark: 'import os\nfor p in ("mark", "/tmp/mark"):\n  if os.path.exists(p): print("seen"); break\n  open(p, "w").close()\nelse: print("fresh")',
    network:
      'import socket\ntry: socket.create_connection(("1.1.1.1", 53), 3); print("reached")\nexcept OSError: print("closed")',
  },
  {
    language: 'javascript',
    both: 'console.log("out"); console.error("err")',
    exit3: 'process.exit(3)',
    killSelf: 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)',
    sleep: 'console.log("first"); setTimeout(() => {}, 60000)',
    echo: 'process.stdin.pipe(process.stdout)',
    env: 'console.log(process.env.CONFORM)',
    memory: 'const a = []; for (;;) a.push(Buffer.alloc(10_000_000, 1))',
    flood: 'const f = () => process.stdout.write("x".repeat(1000), f); f()',
    count: 'for (let i = 1; i <= 20000; i++) console.log(i)',
    mark: 'const fs = require("fs"); const seen = ["mark", "/tmp/mark"].some((p) => fs.existsSync(p)); for (const p of ["mark", "/tmp/mark"]) fs.writeFileSync(p, ""); console.log(seen ? "seen" : "fresh")',
    network:
      'const s = require("net").connect(53, "1.1.1.1"); s.setTimeout(3000, () => s.destroy(new Error())); s.on("connect", () => { console.log("reached"); process.exit() }); s.on("error", () => console.log("closed"))',
  },
  {
    language: 'shell',
    both: 'echo out; echo err >&2',
    exit3: 'exit 3',
    killSelf: 'kill -9 $$',
    sleep: 'echo first; sleep 60',
    echo: 'cat',
    env: 'echo "$CONFORM"',
    memory: 'a=xxxxxxxx; while :; do a=$a$a; done',
    flood: 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done',
    count: 'i=1; while [ $i -le 20000 ]; do echo $i; i=$((i + 1)); done',
    mark: 'if [ -e mark ] || [ -e /tmp/mark ]; then echo seen; else echo fresh; fi; : > mark; : > /tmp/mark',
    network:
      'if command -v ping >/dev/null && ping -c 1 -W 3 1.1.1.1 >/dev/null 2>&1; then echo reached; else echo closed; fi',
  },
];
