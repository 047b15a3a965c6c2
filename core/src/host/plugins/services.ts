import type { DependencyContainer } from 'tsyringe';
import type { Token } from '../../contract/tokens.js';
import { DuplicateError } from '../registries.js';

/** A plugin requested a service that is not provided, or not in its dependencies. */
export class MissingServiceError extends Error {
  override readonly name = 'MissingServiceError';
}

export class PluginServices {
  readonly #container: DependencyContainer;
  readonly #providers = new Map<symbol, string>();

  constructor(container: DependencyContainer) {
    this.#container = container;
  }

  owners(): readonly string[] {
    return [...this.#providers.values()];
  }

  provide<T>(owner: string, token: Token<T>, value: T): void {
    const other = this.#providers.get(token.symbol);
    if (other !== undefined)
      throw new DuplicateError(`service ${token.id} is provided by both "${other}" and "${owner}"`);
    this.#providers.set(token.symbol, owner);
    this.#container.register<T>(token.symbol, { useFactory: () => value });
  }

  /** @param allowed ids of the plugins that the owner lists in `dependsOn`. */
  inject<T>(owner: string, allowed: readonly string[], token: Token<T>): T {
    const provider = this.#providers.get(token.symbol);
    if (provider === undefined)
      throw new MissingServiceError(`plugin ${owner} needs service ${token.id}, which no plugin provides`);
    if (!allowed.includes(provider)) {
      throw new MissingServiceError(
        `plugin ${owner} takes service ${token.id} of ${provider} without listing it in dependsOn`,
      );
    }
    return this.#container.resolve<T>(token.symbol);
  }
}
