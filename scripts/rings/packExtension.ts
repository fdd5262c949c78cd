/** Packs the extension for the rings that need its VSIX file: `node scripts/rings/packExtension.ts`. */
import { packExtension } from '../../test/support/prepared.ts';

packExtension();
