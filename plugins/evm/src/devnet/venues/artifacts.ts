import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';
import type { Artifact } from '../../set-up/create2.js';

const V3 = '@uniswap/v3-periphery/artifacts/contracts';

const PATHS = {
  wrapped: '@uniswap/v2-periphery/build/WETH9.json',
  pairFactory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  pairRouter: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  poolFactory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  positions: `${V3}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
  swapRouter: `${V3}/SwapRouter.sol/SwapRouter.json`,
  quoter: `${V3}/lens/QuoterV2.sol/QuoterV2.json`,
} as const;

export type VenueContract = keyof typeof PATHS;

/** Third-party contracts as compiled in their npm packages. */
export type VenueArtifacts = Readonly<Record<VenueContract, Artifact>>;

export const VENUE_CONTRACTS = Object.keys(PATHS) as readonly VenueContract[];

export const NO_VENUES =
  'the packages of their contracts are not installed; npm install with development dependencies brings them (@uniswap/v2-core, @uniswap/v2-periphery, @uniswap/v3-core, @uniswap/v3-periphery)';

const load = createRequire(import.meta.url);
let loaded: VenueArtifacts | undefined;

/**
 * Undefined if the packages are not installed; they are development dependencies. Their licences forbid copies in
 * this package.
 */
export function venueArtifacts(): VenueArtifacts | undefined {
  if (loaded !== undefined) return loaded;
  const found = VENUE_CONTRACTS.map((name) => [name, artifactAt(PATHS[name])] as const);
  if (found.some(([, artifact]) => artifact === undefined)) return undefined;
  loaded = Object.freeze(Object.fromEntries(found)) as VenueArtifacts;
  return loaded;
}

function artifactAt(path: string): Artifact | undefined {
  const file = resolved(path);
  if (file === undefined) return undefined;
  const { abi, bytecode } = load(file) as { readonly abi: Abi; readonly bytecode: string };
  return { abi, bytecode: (bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`) as Hex };
}

function resolved(path: string): string | undefined {
  try {
    return load.resolve(path);
  } catch {
    return undefined;
  }
}
