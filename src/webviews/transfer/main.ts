import '../shared/page.css';
import './transfer.css';
import { PageApp } from '../shared/pageApp.tsx';
import { transferScreen } from './transferScreen.tsx';

new PageApp(transferScreen);
