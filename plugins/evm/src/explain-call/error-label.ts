/** A custom error's name in the style of the fail reasons: `ERC20InvalidSender` is ERC20_INVALID_SENDER. */
export function labelOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();
}
