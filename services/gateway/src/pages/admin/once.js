// Sends each form once: of two clicks in a row a server would do what it was asked twice, and show but the second secret.

addEventListener('submit', (event) => {
  const form = event.target
  if (form.dataset.sent !== undefined) event.preventDefault()
  else if (form.method === 'post') {
    form.dataset.sent = ''
    // Whoever stopped it before it was answered may try again.
    setTimeout(() => delete form.dataset.sent, 10_000)
  }
})

// Whoever comes back by the back button may send it again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})
