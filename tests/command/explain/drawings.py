"""Reading pictures."""

import xml.etree.ElementTree as etree

SVG = "{http://www.w3.org/2000/svg}"


def boxes_of(picture):
    """What is written in a picture, and the colour of the box that it is in."""
    found = {}
    for group in etree.fromstring(str(picture)).iter():
        for rect, text in zip(group.findall(f"{SVG}rect"), group.findall(f"{SVG}text")):
            found[text.text] = rect.get("fill")
    return found
