export type { Api, ApiDeps } from './api.js';
export { createApi } from './server/create-api.js';
