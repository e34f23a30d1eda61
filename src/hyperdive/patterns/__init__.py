"""Who is called what: is-a facts that the text states ("dogs such as poodles"), counted, with the sentences."""
