/**
 * One row per language: the same few programs in each. `echo` answers every line with `[line]` and the
 * arguments first; `fail` ends with code 3; `loop` never ends and uses the CPU.
 */
export interface Row {
  hello: string;
  echo: string;
  fail: string;
  loop: string;
  /** Cannot be understood. */
  broken: string;
  /** What is said about it, in the name the source has. */
  complaint: RegExp;
}

export const PROGRAMS: Readonly<Record<string, Row>> = {
  c: {
    hello: '#include <stdio.h>\nint main(void) { puts("hello"); }',
    echo: `#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) printf("%s\\n", argv[i]);
  for (char line[100]; fgets(line, sizeof line, stdin);) printf("[%.*s]\\n", (int)strcspn(line, "\\n"), line);
}`,
    fail: 'int main(void) { return 3; }',
    loop: 'int main(void) { for (volatile int x = 0;; x = 1) {} }',
    broken: 'int main(void) { return x }',
    complaint: /main\.c:1:\d+: error/,
  },
  cpp: {
    hello: '#include <iostream>\nint main() { std::cout << "hello\\n"; }',
    echo: `#include <iostream>
#include <string>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) std::cout << argv[i] << '\\n';
  for (std::string line; std::getline(std::cin, line);) std::cout << '[' << line << "]\\n";
}`,
    fail: 'int main() { return 3; }',
    loop: 'int main() { for (volatile int x = 0;; x = 1) {} }',
    broken: 'int main() { return x }',
    complaint: /main\.cpp:1:\d+: error/,
  },
  python: {
    hello: 'print("hello")',
    echo: `import sys
for arg in sys.argv[1:]:
    print(arg)
for line in sys.stdin:
    print(f'[{line.rstrip()}]')`,
    fail: 'raise SystemExit(3)',
    loop: 'while True:\n    pass',
    broken: 'print(',
    complaint: /File "\/w\/main\.py", line 1[\s\S]*SyntaxError/,
  },
  javascript: {
    hello: 'console.log("hello");',
    echo: `import { readFileSync } from 'node:fs';
for (const arg of process.argv.slice(2)) console.log(arg);
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) console.log(\`[\${line}]\`);`,
    fail: 'process.exit(3)',
    loop: 'for (;;);',
    broken: 'let = = 1',
    complaint: /main\.js:1[\s\S]*SyntaxError/,
  },
  typescript: {
    hello: 'const word: string = "hello"; console.log(word);',
    echo: `import { readFileSync } from 'node:fs';
const wrap = <T extends string>(line: T): string => \`[\${line}]\`;
for (const arg of process.argv.slice(2)) console.log(arg);
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) console.log(wrap(line));`,
    fail: 'const code: number = 3; process.exit(code);',
    loop: 'for (;;);',
    broken: 'let x: number = ;',
    complaint: /main\.ts:1:\d+: error: Expression expected/,
  },
  shell: {
    hello: 'echo hello',
    echo: 'for arg; do echo "$arg"; done\nwhile read -r line; do echo "[$line]"; done',
    fail: 'exit 3',
    loop: 'while :; do :; done',
    broken: 'if then',
    complaint: /main\.sh: 1: Syntax error/,
  },
  bash: {
    hello: 'read -r -a words <<< hello; echo "$words"',
    echo: 'for arg; do echo "$arg"; done\nwhile read -r line; do echo "[$line]"; done',
    fail: 'exit 3',
    loop: 'while :; do :; done',
    broken: 'if then',
    complaint: /main\.bash: line 1: syntax error/,
  },
  elixir: {
    hello: 'IO.puts("hello")',
    echo: `Enum.each(System.argv(), &IO.puts/1)
IO.stream(:stdio, :line) |> Enum.each(fn line -> IO.puts("[#{String.trim_trailing(line)}]") end)`,
    fail: 'System.halt(3)',
    loop: 'defmodule Loop do\n  def spin(x), do: spin(x + 1)\nend\nLoop.spin(0)',
    broken: 'IO.puts(',
    complaint: /main\.exs:1/,
  },
  go: {
    hello: 'package main\nimport "fmt"\nfunc main() { fmt.Println("hello") }',
    echo: `package main
import ("bufio"; "fmt"; "os")
func main() {
  for _, arg := range os.Args[1:] { fmt.Println(arg) }
  for lines := bufio.NewScanner(os.Stdin); lines.Scan(); { fmt.Printf("[%s]\\n", lines.Text()) }
}`,
    fail: 'package main\nimport "os"\nfunc main() { os.Exit(3) }',
    loop: 'package main\nfunc main() { for {} }',
    broken: 'package main\nfunc main() { x := }',
    complaint: /main\.go:2:\d+: syntax error/,
  },
  rust: {
    hello: 'fn main() { println!("hello"); }',
    echo: `use std::io::BufRead;
fn main() {
    for arg in std::env::args().skip(1) { println!("{}", arg); }
    for line in std::io::stdin().lock().lines() { println!("[{}]", line.unwrap()); }
}`,
    fail: 'fn main() { std::process::exit(3) }',
    loop: 'fn main() { loop {} }',
    broken: 'fn main() { let x: i32 = ; }',
    complaint: /error: expected expression[\s\S]*main\.rs:1/,
  },
  java: {
    hello: 'public class Hello { public static void main(String[] a) { System.out.println("hello"); } }',
    echo: `import java.util.Scanner;
class Echo {
  static class Wrap { String of(String line) { return "[" + line + "]"; } }
  public static void main(String[] args) {
    for (String arg : args) System.out.println(arg);
    for (Scanner in = new Scanner(System.in); in.hasNextLine();) System.out.println(new Wrap().of(in.nextLine()));
  }
}`,
    fail: 'class Fail { public static void main(String[] a) { System.exit(3); } }',
    loop: 'class Loop { public static void main(String[] a) { for (;;) {} } }',
    broken: 'class Broken { public static void main(String[] a) { int x = ; } }',
    complaint: /Main\.java:1: error/,
  },
};
