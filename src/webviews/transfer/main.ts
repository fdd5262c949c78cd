import '../shared/page.css';
import './transfer.css';
import { TransferScreen } from './transferScreen.ts';

new TransferScreen().start();
