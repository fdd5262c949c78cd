import '../shared/page.css';
import './table.css';
import { PageApp } from '../shared/pageApp.tsx';
import { tableScreen } from './tableScreen.tsx';

new PageApp(tableScreen);
