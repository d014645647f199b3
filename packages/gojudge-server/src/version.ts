/** The go-judge whose behaviour this is; clients compare it as a version. */
export const BUILD_VERSION = 'v1.12.2';
