/** Packs the extension and installs it for the editors in the ui ring: `node scripts/rings/installPacked.ts`. */
import { installPacked } from '../../test/support/editor/installed.ts';

installPacked();
