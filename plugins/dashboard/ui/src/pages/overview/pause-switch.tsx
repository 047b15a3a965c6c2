import { call } from '../../api/client.js';
import { Act } from '../../parts/act.js';

interface Props {
  /** `all` or `chain:ID`. */
  readonly scope: string;
  readonly what: string;
  readonly paused: boolean;
  readonly onDone: () => void;
}

export function PauseSwitch({ scope, what, paused, onDone }: Props) {
  if (paused)
    return (
      <Act
        label="Resume"
        title={`Resume ${what}`}
        act={() => call('POST /admin/resume', { body: { scope } })}
        onDone={onDone}
      >
        New quotes are given again. A wider or narrower pause holds on.
      </Act>
    );
  return (
    <Act
      label="Pause"
      title={`Pause ${what}`}
      danger
      act={() => call('POST /admin/pause', { body: { scope, reason: 'paused in the dashboard' } })}
      onDone={onDone}
    >
      No new quote is given and nothing new is begun there. What is under way is finished. It holds across restarts
      until it is resumed.
    </Act>
  );
}
