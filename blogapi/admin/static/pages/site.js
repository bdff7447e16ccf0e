document.body.textContent = `This page is not written yet: ${document.body.dataset.page}`;
