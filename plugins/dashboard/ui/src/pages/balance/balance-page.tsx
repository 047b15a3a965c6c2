import { useTitle } from '../../state/title.js';
import { AllBalances } from './all-balances.js';
import { OwnBalance } from './own-balance.js';

/** Of every integrator for operators, of their own for the others. */
export function BalancePage({ admin }: { readonly admin: boolean }) {
  useTitle('App balance');
  return (
    <>
      <h1>{admin ? 'App balances' : 'App balance'}</h1>
      {admin ? <AllBalances /> : <OwnBalance />}
    </>
  );
}
