// Sends each form once: with two clicks in a row, the server would act twice and show only the second secret.

addEventListener('submit', (event) => {
  const form = event.target
  if (form.dataset.sent !== undefined) event.preventDefault()
  else if (form.method === 'post') {
    form.dataset.sent = ''
    // A user who stopped the request before it was answered may try again.
    setTimeout(() => delete form.dataset.sent, 10_000)
  }
})

// A user who comes back with the back button may send the form again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})
