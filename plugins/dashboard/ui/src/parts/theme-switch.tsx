import { useStore } from '../state/store.js';
import { type Theme, theme } from '../state/theme.js';
import { Icon } from './icons.js';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const WORDS: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };

export function ThemeSwitch() {
  const now = useStore(theme);
  return (
    <button type="button" class="quiet small" onClick={() => theme.set(NEXT[now])} title="Colours of the pages">
      <Icon name={now} />
      <span class="words">{WORDS[now]}</span>
    </button>
  );
}
