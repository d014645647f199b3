/** Files of a run that is under way, over `/console/files`. */
import { FILE_BYTES_MAX, FILES_ID_PREFIX, FILES_PATH, type FolderListing } from '@sbx/console/wire';
import { headerValue } from '@sbx/shared';
import { formatBytes } from '../units.js';

/** For a run whose files are to be reached. */
export function newFilesId(): string {
  return FILES_ID_PREFIX + crypto.randomUUID();
}

/** Somebody else has written it since it was read. */
export class FileChanged extends Error {
  constructor() {
    super('It has changed since it was opened here');
  }
}

const PRECONDITION_FAILED = 412;

export interface FileContent {
  content: Blob;
  /** Of this state of the file, for `write`. */
  mark: string | null;
}

/** Every path is relative to the work folder; that of a folder is empty or ends with a slash. */
export class RunFiles {
  readonly #root: string;
  readonly #headers: Record<string, string>;

  constructor(id: string, token: string | undefined) {
    this.#root = `${FILES_PATH}${encodeURIComponent(id)}/`;
    this.#headers = token === undefined ? {} : { Authorization: headerValue(`Bearer ${token}`) };
  }

  async list(folder: string): Promise<FolderListing> {
    const answer = await this.#call('GET', folder);
    return (await answer.json()) as FolderListing;
  }

  async read(path: string): Promise<FileContent> {
    const answer = await this.#call('GET', path);
    return { content: await answer.blob(), mark: answer.headers.get('ETag') };
  }

  /** Resolves with the new mark; with one, throws `FileChanged` where the file is not as it was then. */
  async write(path: string, content: Blob, mark: string | null = null): Promise<string | null> {
    if (content.size > FILE_BYTES_MAX) {
      const [got, most] = [content.size, FILE_BYTES_MAX].map(formatBytes);
      throw new Error(`It has ${got}; a file may have ${most} at most`);
    }
    const answer = await this.#call('PUT', path, content, mark === null ? {} : { 'If-Match': mark });
    if (answer.status === PRECONDITION_FAILED) throw new FileChanged();
    return answer.headers.get('ETag');
  }

  /** An empty file; throws where something has its name. */
  async create(path: string): Promise<void> {
    const answer = await this.#call('PUT', path, new Blob(), { 'If-None-Match': '*' });
    if (answer.status === PRECONDITION_FAILED) throw new Error('Something has this name already');
  }

  async makeFolder(path: string): Promise<void> {
    await this.#call('PUT', path);
  }

  async remove(path: string): Promise<void> {
    await this.#call('DELETE', path);
  }

  /** Throws what the server says, in its words, but where a condition in `headers` does not hold. */
  async #call(
    method: string,
    path: string,
    body?: Blob,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const url = this.#root + path.split('/').map(encodeURIComponent).join('/');
    const answer = await fetch(url, {
      method,
      headers: { ...this.#headers, ...headers },
      ...(body && { body }),
    });
    if (!answer.ok && answer.status !== PRECONDITION_FAILED)
      throw new Error((await answer.text()).trim() || `The server answered ${answer.status}`);
    return answer;
  }
}
