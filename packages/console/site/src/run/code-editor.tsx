/**
 * CodeMirror in a shadow root: there its styles are adopted sheets, which a strict Content-Security-Policy
 * allows.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  type StreamParser,
  syntaxHighlighting,
} from '@codemirror/language';
import { c, cpp, java } from '@codemirror/legacy-modes/mode/clike';
import { go } from '@codemirror/legacy-modes/mode/go';
import { javascript } from '@codemirror/legacy-modes/mode/javascript';
import { python } from '@codemirror/legacy-modes/mode/python';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { Compartment, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';

/** Modes that colour and indent: a tenth of the size of parsers, which would know more than is shown. */
const LANGUAGES = new Map<string, StreamParser<unknown>>([
  ['c', c],
  ['cpp', cpp],
  ['go', go],
  ['java', java],
  ['javascript', javascript],
  ['python', python],
  ['rust', rust],
  ['bash', shell],
  ['shell', shell],
] as [string, StreamParser<unknown>][]);

function syntaxOf(language: string) {
  const mode = LANGUAGES.get(language);
  return mode === undefined ? [] : StreamLanguage.define(mode);
}

/** By the page's variables, which know light and dark. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--syntax-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--syntax-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--syntax-number)' },
  { tag: tags.comment, color: 'var(--syntax-comment)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: 'var(--syntax-name)',
  },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--field)', fontSize: '14px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { caretColor: 'var(--text)', fontFamily: 'var(--mono)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--active)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
});

export interface EditorProps {
  /** For who does not see it. */
  label: string;
  language: string;
  /**
   * At first: the editor owns its text, since what is typed meanwhile would be lost to an older value.
   * Another `key` brings another text.
   */
  value: string;
  onChange(value: string): void;
  /** Ctrl+Enter. */
  onRun?(): void;
  /** Line ends stay as they are, and the editor has the focus at once: for a file. */
  isFile?: boolean;
}

export function CodeEditor({ label, language, value, onChange, onRun, isFile = false }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const syntax = useRef(new Compartment());
  const calls = useRef({ onChange, onRun });
  calls.current = { onChange, onRun };
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const run = () => {
      calls.current.onRun?.();
      return true;
    };
    view.current = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          keymap.of([{ key: 'Mod-Enter', run }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
          lineNumbers(),
          highlightSpecialChars(),
          isFile ? EditorState.lineSeparator.of('\n') : [],
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          syntaxHighlighting(HIGHLIGHT),
          syntax.current.of([]),
          THEME,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    if (isFile) view.current.focus();
    return () => view.current!.destroy();
  }, []);
  useEffect(() => {
    view.current!.dispatch({ effects: syntax.current.reconfigure(syntaxOf(language)) });
  }, [language]);
  return <div class="editor" ref={host} />;
}
