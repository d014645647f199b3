/** The editor, which comes after the rest of the page: it is the larger half of it. */
import { useEffect, useState } from 'preact/hooks';
import type { CodeEditor, EditorProps } from './code-editor.js';

export function Editor(props: EditorProps) {
  const [Loaded, setLoaded] = useState<typeof CodeEditor | null>(null);
  useEffect(() => {
    void import('./code-editor.js').then((module) => setLoaded(() => module.CodeEditor));
  }, []);
  return Loaded === null ? <div class="editor" aria-busy="true" /> : <Loaded {...props} />;
}
