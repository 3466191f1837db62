// Arrow keys, Space and Page keys go from slide to slide. Without this script the page scrolls, and stops at each
// slide.
(() => {
  const slides = [...document.querySelectorAll('.top, .slide')];
  const forward = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
  const current = () => {
    const middle = innerHeight / 2;
    return slides.findLastIndex((slide) => slide.getBoundingClientRect().top <= middle);
  };
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest('a, button, input, summary') && event.key === ' ') return;
    let to;
    if (event.key in forward) to = current() + forward[event.key];
    else if (event.key === 'Home') to = 0;
    else if (event.key === 'End') to = slides.length - 1;
    else return;
    // A drawing that is wider than the screen scrolls by itself.
    const drawing = event.target.closest('.ots-drawing');
    if (drawing && drawing.scrollWidth > drawing.clientWidth && event.key.startsWith('Arrow')) return;
    event.preventDefault();
    slides[Math.max(0, Math.min(to, slides.length - 1))].scrollIntoView({ block: 'start' });
  });
})();
