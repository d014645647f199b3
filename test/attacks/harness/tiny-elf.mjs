// The smallest executables: one that says something without any C library, and one that names a loader of its
// own (PT_INTERP), which the kernel opens in the middle of exec.
const HEADER = 64;
const ENTRY = 56;
const LOAD = 1;
const INTERP = 3;
const BASE = 0x10000;
const MACHINES = { x64: 62, arm64: 183 };

function programHeader(buffer, at, { type, offset, size }) {
  buffer.writeUInt32LE(type, at);
  buffer.writeUInt32LE(5, at + 4); // readable, executable
  buffer.writeBigUInt64LE(BigInt(offset), at + 8);
  for (const field of [16, 24]) buffer.writeBigUInt64LE(BigInt(BASE + offset), at + field);
  for (const field of [32, 40]) buffer.writeBigUInt64LE(BigInt(size), at + field);
  buffer.writeBigUInt64LE(type === LOAD ? 0x1000n : 1n, at + 48);
}

/** `rest` is mapped behind the headers and entered at its start. */
function executable(rest, loader) {
  const start = HEADER + 2 * ENTRY;
  const elf = Buffer.alloc(start + rest.length);
  elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  elf.writeUInt16LE(3, 16); // position-independent
  elf.writeUInt16LE(MACHINES[process.arch], 18);
  elf.writeUInt32LE(1, 20);
  elf.writeBigUInt64LE(BigInt(BASE + start), 24);
  elf.writeBigUInt64LE(BigInt(HEADER), 32);
  elf.writeUInt16LE(HEADER, 52);
  elf.writeUInt16LE(ENTRY, 54);
  elf.writeUInt16LE(loader ? 2 : 1, 56);
  programHeader(elf, HEADER, { type: LOAD, offset: 0, size: elf.length });
  if (loader) programHeader(elf, HEADER + ENTRY, { type: INTERP, offset: start, size: rest.length });
  rest.copy(elf, start);
  return elf;
}

/** An executable whose loader is `path`. */
export const interpreted = (path) => executable(Buffer.from(`${path}\0`), true);

/** write(1, text, size); exit(0). The text follows the code. */
const CODE = {
  // mov eax,1; mov edi,1; lea rsi,[rip+16]; mov edx,size; syscall; mov eax,60; xor edi,edi; syscall
  x64: (size) =>
    Buffer.from([
      ...[0xb8, 1, 0, 0, 0, 0xbf, 1, 0, 0, 0, 0x48, 0x8d, 0x35, 16, 0, 0, 0, 0xba, size, 0, 0, 0],
      ...[0x0f, 0x05, 0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05],
    ]),
  // mov x8,64; mov x0,1; adr x1,+28; mov x2,size; svc 0; mov x8,93; mov x0,0; svc 0; nop
  arm64: (size) => {
    const words = [
      0xd2800808,
      0xd2800020,
      0x100000e1,
      0xd2800002 + size * 32,
      0xd4000001,
      0xd2800ba8,
      0xd2800000,
      0xd4000001,
      0xd503201f,
    ];
    return Buffer.from(Uint32Array.from(words).buffer);
  },
};

/** An executable that prints `text`, of less than 128 bytes. */
export function saying(text) {
  return executable(Buffer.concat([CODE[process.arch](text.length), Buffer.from(text)]), false);
}
