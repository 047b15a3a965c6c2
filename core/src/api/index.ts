export type { Api, ApiDeps, ApiOptions, PluginRoute } from './api.js';
export { createApi } from './server/create-api.js';
