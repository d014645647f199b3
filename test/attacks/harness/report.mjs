// One line per entry, and what is wrong below it.
const MARKS = new Map([
  [true, '  '],
  [false, '! '],
  [null, '- '],
]);

export function printTable({ id, group, name, outcome, pass, why }) {
  const number = String(id).padStart(3);
  process.stdout.write(`${MARKS.get(pass)}${group} ${number} ${name.padEnd(64)} ${outcome}\n`);
  if (pass !== true) for (const line of why.split('; ')) process.stdout.write(`        ${line}\n`);
}
