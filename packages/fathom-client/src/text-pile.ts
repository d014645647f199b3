/** Text that comes in pieces, of which there may be millions. */

/** So many are put into one. */
const PIECES_MAX = 1024;

/**
 * Added to each other one by one, every piece would take 32 bytes beside its letters until somebody reads the
 * text: of one letter each, thirty times the text.
 */
export class TextPile {
  #text = '';
  #pieces: string[] = [];
  #length = 0;

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  get text(): string {
    this.#join();
    return this.#text;
  }

  add(piece: string): void {
    if (piece === '') return;
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length === PIECES_MAX) this.#join();
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}
