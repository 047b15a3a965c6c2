export interface SenderPlan {
  readonly file: string;
  readonly urls: readonly string[];
}

export type ToSender =
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  /** Events of this many requests in turn; one change set each, or large ones where no rate is given. */
  | { readonly type: 'happen'; readonly events: number; readonly requests: number; readonly perSecond?: number }
  | { readonly type: 'drain' }
  | { readonly type: 'profile'; readonly folder: string }
  | { readonly type: 'profile-end' }
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
  readonly events: number;
  readonly disordered: number;
  readonly badSignatures: number;
  readonly hanging: number;
  readonly times: readonly (readonly [event: string, at: number])[];
}

export type FromReceiver = { readonly type: 'listening'; readonly port: number } | { readonly type: 'forgot' } | Report;

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
