import { shortHash } from '../format.js';
import { href } from '../state/router.js';

export function RequestLink({ id }: { readonly id: string }) {
  return (
    <a href={href(`/requests/${id}`)}>
      <code title={id}>{shortHash(id)}</code>
    </a>
  );
}
