import '../shared/page.css';
import './metadata.css';
import { MetadataScreen } from './metadataScreen.ts';

new MetadataScreen().start();
