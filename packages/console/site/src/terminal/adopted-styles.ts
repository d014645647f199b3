/**
 * xterm.js makes style elements and style attributes, which a strict Content-Security-Policy refuses. Here
 * the document makes of them what it allows: adopted sheets, and declarations set by script. (Its option
 * `documentOverride` reaches not all places where it makes them.)
 */

let isPatched = false;

/** For all elements that this page makes from now on; safe to call twice. */
export function adoptStyles(): void {
  if (isPatched) return;
  isPatched = true;
  const createElement = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    // Even an empty style element would be refused where it is put in; a template is ignored.
    if (name === 'style') return asSheet(createElement('template'));
    const element = createElement(name, options);
    if (name === 'span') withDeclarations(element);
    return element;
  };
}

function asSheet(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let text = '';
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set(value: string) {
      text = value;
      sheet.replaceSync(value);
    },
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    remove();
  };
  return element;
}

function withDeclarations(element: HTMLElement): void {
  const setAttribute = element.setAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else setAttribute(name, value);
  };
}
