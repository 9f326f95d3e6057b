// Time that runs out before the visitor's eyes.

const TICK_MS = 500;

/**
 * Calls `show` with the milliseconds left, at once and twice a second, and `done`
 * when none is left. Returns what stops it before.
 */
export function countDown(ms, show, done) {
  const end = Date.now() + ms;
  const tick = () => {
    const left = end - Date.now();
    if (left > 0) return show(left);
    stop();
    done();
  };
  const ticking = setInterval(tick, TICK_MS);
  const stop = () => clearInterval(ticking);
  tick();
  return stop;
}
