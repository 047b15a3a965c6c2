export type { IncomingMessage, ServerResponse } from 'node:http';
