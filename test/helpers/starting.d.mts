/** One descriptor: what it is, and for a folder the device (major:minor) that it is on. */
export interface DescriptorRow {
  fd: number;
  target: string;
  folder: string | null;
}
/** Devices of the file systems that this process sees: the host's. */
export declare function hostDevices(): Set<string>;
/** Inits below a host process that have a child right before its exec. */
export declare function starting(host: number): { init: DescriptorRow[]; child: DescriptorRow[] }[];
