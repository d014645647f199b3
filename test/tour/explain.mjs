/**
 * What this machine does not give is no fault of the tour's: said in a sentence, with the command that tells
 * how to mend it.
 */
import { isSbxError } from '@sbx/core';

export function explain(error) {
  if (!isSbxError(error)) throw error;
  process.stderr.write(
    `tour: ${error.message}\nnpx sbx doctor --fix prints the commands for this machine.\n`,
  );
  process.exit(1);
}
