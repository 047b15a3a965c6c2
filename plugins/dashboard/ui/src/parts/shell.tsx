import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { connected } from '../api/connection.js';
import { type Session, signOut } from '../api/session.js';
import { href, usePlace } from '../state/router.js';
import { useStore } from '../state/store.js';
import { Icon, type IconName, Logo } from './icons.js';
import { ThemeSwitch } from './theme-switch.js';

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly role?: Session['role'];
}

const ENTRIES: readonly Entry[] = [
  { path: '/overview', name: 'Overview', icon: 'operate', role: 'admin' },
  { path: '/chains', name: 'Chains', icon: 'chains', role: 'admin' },
  { path: '/requests', name: 'Requests', icon: 'requests' },
  { path: '/keys', name: 'Keys', icon: 'keys' },
  { path: '/balance', name: 'App balance', icon: 'balance' },
  { path: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
  { path: '/try', name: 'Try it', icon: 'try' },
];

/** @param session null: only pages that need none. */
export function Shell({
  session,
  children,
}: {
  readonly session: Session | null;
  readonly children: ComponentChildren;
}) {
  const { path } = usePlace();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // A screen reader begins at the new page; not when the first one loads.
  useEffect(() => {
    if (!first.current) main.current?.focus();
    first.current = false;
    window.scrollTo(0, 0);
  }, [path]);
  const entries = session
    ? ENTRIES.filter(({ role }) => role === undefined || role === session.role)
    : ENTRIES.slice(-1);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="side">
        <a class="brand" href={href('/')}>
          <Logo />
          Causeway
        </a>
        <nav aria-label="Pages">
          {entries.map(({ path: to, name, icon }) => (
            <a
              key={to}
              href={href(to)}
              {...(path === to || path.startsWith(`${to}/`) ? { 'aria-current': 'page' as const } : {})}
            >
              <Icon name={icon} />
              {name}
            </a>
          ))}
        </nav>
        <div class="who">
          {session ? <Who session={session} /> : <a href={href('/')}>Sign in</a>}
          <ThemeSwitch />
        </div>
      </header>
      <div class="grow">
        <Connection />
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

function Who({ session }: { readonly session: Session }) {
  return (
    <>
      <div>
        <div class="name">{session.name ?? session.keyId ?? 'Operator'}</div>
        <div class="role muted small">{session.role === 'admin' ? 'operator' : 'integrator'}</div>
      </div>
      <div class="row">
        <button type="button" class="tight" onClick={() => void signOut(false)}>
          Sign out
        </button>
        <button
          type="button"
          class="quiet small"
          onClick={() => void signOut(true)}
          title="Ends the sessions of this key in all browsers"
        >
          everywhere
        </button>
      </div>
    </>
  );
}

function Connection() {
  const up = useStore(connected);
  return (
    <div role="status" aria-live="polite">
      {!up && (
        <div class="banner">The service does not answer. This page shows what it knew, and goes on by itself.</div>
      )}
    </div>
  );
}
