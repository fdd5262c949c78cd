/** Installs the packed extension for the editors that the ui ring starts: `node scripts/rings/installPacked.ts`. */
import { installPacked } from '../../test/support/editor/installed.ts';

installPacked();
