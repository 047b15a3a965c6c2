export { readDeposits } from './watch/read-deposits.js';
