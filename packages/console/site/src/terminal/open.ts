/** xterm.js, loaded when the first terminal is opened. */
import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { adoptStyles } from './adopted-styles.js';

const SCROLLBACK_LINES = 2000;

export interface Screen {
  cols: number;
  rows: number;
  /** Resolves when it has been drawn. */
  write(bytes: Uint8Array): Promise<void>;
  writeLine(text: string): void;
  onInput(listener: (text: string) => void): void;
  onResize(listener: (cols: number, rows: number) => void): void;
  focus(): void;
  close(): void;
}

/** Of the page. */
function theme(): ITheme {
  const style = getComputedStyle(document.body);
  return { background: style.backgroundColor, foreground: style.color, cursor: style.color };
}

export function openScreen(host: HTMLElement): Screen {
  adoptStyles();
  const terminal = new Terminal({
    scrollback: SCROLLBACK_LINES,
    screenReaderMode: true,
    fontSize: 14,
    minimumContrastRatio: 4.5,
    theme: theme(),
    // A link that a program prints leads nowhere.
    linkHandler: { activate: () => undefined },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(host);
  fit.fit();
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(host);
  return {
    get cols() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    writeLine: (text) => terminal.writeln(text),
    onInput: (listener) => void terminal.onData(listener),
    onResize: (listener) => void terminal.onResize(({ cols, rows }) => listener(cols, rows)),
    focus: () => terminal.focus(),
    close() {
      observer.disconnect();
      terminal.dispose();
    },
  };
}
