/** Error numbers as the addon's calls return them: Linux's, negative. */
export const ENOENT = -2;
export const EAGAIN = -11;
export const EEXIST = -17;
export const EXDEV = -18;
export const ENOTDIR = -20;
export const EISDIR = -21;
export const EINVAL = -22;
export const EFBIG = -27;
export const EPIPE = -32;
export const ENOLCK = -37;
export const ENOTEMPTY = -39;
export const ELOOP = -40;
export const EILSEQ = -84;
export const EAFNOSUPPORT = -97;
export const EADDRINUSE = -98;
