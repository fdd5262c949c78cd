import '../shared/page.css';
import './metadata.css';
import { PageApp } from '../shared/pageApp.tsx';
import { metadataScreen } from './metadataSections.tsx';

new PageApp(metadataScreen);
