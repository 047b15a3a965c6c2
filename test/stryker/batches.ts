import { repositoryFiles } from '../support/repository.js';

const CORE = /^core\/src\/(?:domain|engine|capabilities)\/.*\.ts$/;
/** Files of plugins that have tests without a node. */
const PLUGINS =
  /^plugins\/(?:bvm\/src\/(?:lane\/legs-done|transactions\/references)|evm\/src\/(?:arrived|payer-swaps\/execution-logs|watch\/deposit-logs)|svm\/src\/transfer-fee|tonvm\/src\/(?:comments|jettons))\.ts$/;

/** Changes of so many lines take about an hour. */
const LINES = 600;

function batches(): readonly (readonly string[])[] {
  const found: string[][] = [];
  let left = 0;
  for (const { path, text } of repositoryFiles(new RegExp(`${CORE.source}|${PLUGINS.source}`))) {
    if (left <= 0) {
      found.push([]);
      left = LINES;
    }
    found.at(-1)?.push(path);
    left -= text.split('\n').length;
  }
  return found;
}

/** The money path in parts that a night can play: one each. */
export const BATCHES = batches();
