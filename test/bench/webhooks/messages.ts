/** What the bench, the dispatcher's process and the receiver's process say to each other. */
export interface SenderPlan {
  /** Database file. */
  readonly file: string;
  readonly urls: readonly string[];
}

export type ToSender =
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  /** Events of so many requests, in turns; one change set for each, or in large ones where no rate is given. */
  | { readonly type: 'happen'; readonly events: number; readonly requests: number; readonly perSecond?: number }
  /** Waits until nothing is open, and says what memory it took meanwhile. */
  | { readonly type: 'drain' }
  /** From now on until `profile-end`, into a folder. */
  | { readonly type: 'profile'; readonly folder: string }
  | { readonly type: 'profile-end' }
  /** Posts of the same bodies by undici alone. */
  | { readonly type: 'bare'; readonly url: string; readonly posts: number };

export type FromSender =
  | { readonly type: 'ready' }
  | { readonly type: 'started' }
  | { readonly type: 'profiling' }
  | { readonly type: 'profiled' }
  | { readonly type: 'stopped' }
  | { readonly type: 'happened'; readonly commits: readonly (readonly [event: string, at: number])[] }
  | { readonly type: 'drained'; readonly seconds: number; readonly rss: readonly number[] }
  | { readonly type: 'posted'; readonly seconds: number };

export type ToReceiver = { readonly type: 'forget' } | { readonly type: 'report' };

export interface Report {
  readonly type: 'report';
  readonly arrivals: number;
  /** Without repetitions. */
  readonly events: number;
  /** Events that came before the one before them. */
  readonly disordered: number;
  readonly badSignatures: number;
  /** Posts to endpoints that hang, counted nowhere else. */
  readonly hanging: number;
  readonly times: readonly (readonly [event: string, at: number])[];
}

export type FromReceiver = { readonly type: 'listening'; readonly port: number } | { readonly type: 'forgot' } | Report;

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
